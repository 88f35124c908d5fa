"""What speech text costs from a thousand to a million characters (SPEECH-10)."""

import sys
import time

from voice.speech_text import MarkdownSegmenter, SpeechTextStream, to_speech_text

PROSE = (
    "The quick brown fox jumped over 3 lazy dogs, and nobody knew why. Some said that it was **hungry**;"
    " others that it had been promised $5 for it. On January 5, 2024 it came back, ran 3.5 km and slept.\n\n"
    "Its speed was $v = \\frac{s}{t}$, see [the log](https://example.com/log).\n\n"
)
SIZES = (1_000, 10_000, 100_000, 1_000_000)


def main() -> None:
    """Prints microseconds per character for each part and size."""
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    to_speech_text(PROSE)
    print(f"{'characters':>12} {'segmenter':>10} {'reading':>10} {'stream':>10}   us per character")
    for size in (size for size in SIZES if size <= largest):
        text = (PROSE * (size // len(PROSE) + 1))[:size]
        start = time.process_time()
        segmenter = MarkdownSegmenter()
        segmenter.feed(text)
        segmenter.end()
        segmented = time.process_time()
        to_speech_text(text)
        read = time.process_time()
        stream = SpeechTextStream(language="en")
        stream.feed(text)
        stream.end()
        streamed = time.process_time()
        parts = (segmented - start, read - segmented, streamed - read)
        print(f"{size:>12}", *(f"{part / size * 1e6:>10.2f}" for part in parts))


if __name__ == "__main__":
    main()
