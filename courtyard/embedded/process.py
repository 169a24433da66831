"""Become one process of the Procfile, so that a container runs the same line as bin/run does.

python -m courtyard.embedded.process web
"""

import os
import sys

from courtyard.embedded.home import CHECKOUT
from courtyard.embedded.procfile import read_procfile


def main() -> None:
    commands = read_procfile(CHECKOUT / "Procfile")
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(f"usage: python -m courtyard.embedded.process {'|'.join(commands)}")
    os.chdir(CHECKOUT)
    os.execv("/bin/sh", ["/bin/sh", "-c", f"exec {commands[sys.argv[1]]}"])


if __name__ == "__main__":
    main()
