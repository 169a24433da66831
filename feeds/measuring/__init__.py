"""What this installation really does: counted and timed here, never assumed.

sampling   a bounded, random choice of accounts
graph      how cooks are followed and post, and whom viewers follow
rates      how fast fan-out pushes and a read merges
memory     bytes of stored feeds, by MEMORY USAGE
kept       the latest of each, for a while
"""
