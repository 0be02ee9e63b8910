"""`python -m burnish.cli.docs FOLDER` writes the generated pages."""

import sys
from pathlib import Path

from burnish.cli.docs import write

if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
write(Path(sys.argv[1]))
