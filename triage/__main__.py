"""The command, by `python -m triage` and as installed: an interrupt is quiet at once.

Its imports take longer than a finger needs, so that the answer to an interrupt comes
before them. What comes before that is as little as can be.
"""

import os
import signal

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command line; until there is something to close an interrupt just ends."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from triage.cli import main as run  # noqa: PLC0415 - the handler comes first

    run()


def _end(_number: int, _frame: "FrameType | None") -> "NoReturn":
    os._exit(130)


if __name__ == "__main__":
    main()
