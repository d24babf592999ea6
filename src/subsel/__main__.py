"""``python -m subsel``."""

import sys

from subsel.cli.entry import main

sys.exit(main())
