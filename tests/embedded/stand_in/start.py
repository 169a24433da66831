"""Stands in for bin/run and bin/manage, without making an environment: `start.py run --no-demo`."""

import importlib
import sys

name, *arguments = sys.argv[1:]
main = importlib.import_module(f"courtyard.embedded.{name}").main
sys.exit(main(arguments))
