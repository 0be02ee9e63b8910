"""`python -m burnish`: the command line, for when the `burnish` script is not installed or not on the PATH."""

import sys

from burnish.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
