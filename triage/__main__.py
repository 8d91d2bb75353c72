"""Run the command as `python -m triage`."""

import sys

from triage.cli import main

if __name__ == "__main__":
    sys.exit(main())
