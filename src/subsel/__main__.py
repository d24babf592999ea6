"""``python -m subsel``."""

import sys

from subsel.cli.entry_point import main

sys.exit(main())
