"""`python -m bot`."""

import sys

from bot.cli import COULD_NOT, main
from bot.process_end import end_process
from bot.standard_streams import leave_output_unread, make_standard_streams_fit

if __name__ == "__main__":
    make_standard_streams_fit()
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        leave_output_unread()
        code = COULD_NOT
    end_process(code)
