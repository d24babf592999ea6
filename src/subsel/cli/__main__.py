"""``python -m subsel.cli``."""

import sys

from subsel.cli.entry import main

sys.exit(main())
