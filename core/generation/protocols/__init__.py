"""The two wire protocols, behind `ModelProtocol`: address, key, headers, connections, and streams of bytes.

There is no SDK here (decision 20): its reader of events sets no limit to a line, ends in silence when the
terminal event is missing, and turns unknown items into objects of a wrong class.
"""
