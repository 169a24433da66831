"""Everything that happens in the world, by who does it. Importing the modules fills the table."""

from tests.stateful.actions import accounts, faults, menus, past_services, reads, relations, staff
from tests.stateful.actions.table import ACTIONS, Action

__all__ = ["ACTIONS", "Action", "accounts", "faults", "menus", "past_services", "reads", "relations", "staff"]
