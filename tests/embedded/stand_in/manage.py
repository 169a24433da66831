# ruff: noqa: T201  standing in for a program that talks
"""Stands in for Django's manage.py: notes which command ran, in a second of nothing."""

import os
import sys
import time
from pathlib import Path

home = Path(os.environ["COURTYARD_HOME"])
with (home / "commands").open("a") as file:
    file.write(f"{' '.join(sys.argv[1:])}\n")
match sys.argv[1:]:
    case ["sleep", seconds]:
        print("sleeping", flush=True)
        time.sleep(float(seconds))
    case ["exit", code]:
        sys.exit(int(code))
    case ["echo"]:
        print(sys.stdin.read(), end="")
    case ["query"]:
        import psycopg

        print(psycopg.connect(os.environ["DATABASE_URL"]).execute("SELECT 42").fetchone())
    case ["demo", "--logins"]:
        print("ana / secret")
    case ["ensure_staff"] if os.environ.get("STAFF_USERNAME") == "nobody":
        sys.exit("courtyard: there is nobody")
    case ["ensure_staff", "--login"]:
        print(f"stef / {os.environ['COURTYARD_MADE_UP_PASSWORD']}")
