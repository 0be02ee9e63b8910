"""`python -m burnish.surfaces.docs FOLDER` writes the generated pages."""

import sys
from pathlib import Path

from burnish.surfaces.docs import write

write(Path(sys.argv[1]))
