"""``python -m subsel``."""

import sys

from subsel.cli import main

sys.exit(main())
