"""The arithmetic of the threshold and of sizes: pure, without a database.

distribution   how followers are spread over accounts
ladder         what each threshold would cost
simulation     followers drawn at random, for a platform that does not exist yet
capacity       from daily readers to posts, reads, inserts, memory and nodes
"""
