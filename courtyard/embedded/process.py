"""Become one process of the Procfile, so that a container runs the same line as bin/run does.

python -m courtyard.embedded.process web
"""

import os
import sys

from courtyard.embedded.home import CHECKOUT
from courtyard.embedded.procfile import read_procfile
from courtyard.starting import read_settings


def main() -> None:
    commands = read_procfile(CHECKOUT / "Procfile")
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(f"usage: python -m courtyard.embedded.process {'|'.join(commands)}")
    read_settings()  # the program itself would start and end again, or say it among many lines
    os.chdir(CHECKOUT)
    os.execv("/bin/sh", ["/bin/sh", "-c", f"exec {commands[sys.argv[1]]}"])


if __name__ == "__main__":
    main()
