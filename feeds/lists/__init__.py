"""The only package that speaks Redis: stored lists, stored values, the overlay's key.

    server    connections, the run id, one way to run commands
    commands  what can be asked, one function a Lua script (lists/lua), values in and out

Everything here may vanish at any moment. A failure is always `ListsUnavailable`.
"""

from feeds.lists import commands
from feeds.lists.server import Command, ListsUnavailable, execute, execute_one, keys_at, use_server

__all__ = ["Command", "ListsUnavailable", "commands", "execute", "execute_one", "keys_at", "use_server"]
