#!/usr/bin/env python
"""Django's command-line entry; `bin/manage` is the same with environment and services in place."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "courtyard.settings")
    from courtyard.command_line import main

    sys.exit(main(sys.argv))
