"""What this installation really does: counted and timed here, never assumed.

sampling   a bounded, random choice of accounts
memory     bytes of stored feeds, by MEMORY USAGE
"""
