"""The two wire protocols, behind `ModelProtocol`; the only place of the core that knows the `openai` SDK.

The SDK says how a provider is addressed: address, key, headers, transport. The stream is read as bytes by
`event_stream`, because the SDK's reader sets no limit to a line, ends in silence when the terminal event is
missing, and turns unknown items into objects of a wrong class.
"""
