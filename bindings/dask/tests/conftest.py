"""Makes the modules of the folder above importable, here and in what tests start."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
