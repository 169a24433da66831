"""Read the Procfile: which processes make up the product, one `name: command` a line."""

import re
from pathlib import Path


def read_procfile(path: Path) -> dict[str, str]:
    commands: dict[str, str] = {}
    for line in path.read_text().splitlines():
        if match := re.match(r"([A-Za-z0-9_-]+):\s*(\S.*)$", line):
            commands[match[1]] = match[2]
    return commands
