"""The health check of a container: ends with 0 when the web process beside it is ready.

python -m courtyard.embedded.probe
"""

import os
import sys

from courtyard.embedded.addresses import parse_port, readiness


def main() -> int:
    reason = readiness(os.environ.get("HOST") or "127.0.0.1", parse_port(os.environ.get("PORT") or "8000"))
    if reason:
        print(reason, file=sys.stderr)
    return 1 if reason else 0


if __name__ == "__main__":
    sys.exit(main())
