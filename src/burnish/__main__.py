"""`python -m burnish`: the command line where no script was installed, or where Python is easier to find than it."""

import sys

from burnish.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
