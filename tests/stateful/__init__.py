"""The proof that feeds are exact whatever happens: real processes, random actions, injected faults.

truth       what every feed must be, from the API's rules, in SQL of its own
client      HTTP, one keep-alive connection to each web process
processes   web, worker and beat as processes of their own; pause, kill, start again
world       all of it together, and empty again for each segment
wsgi        the web process's test-only entry: faults that only a process can do to itself
doubt       which states a read may show: one, or two for a second after a change nobody acknowledged
reading     reads and what must be true of them; walks and refresh cursors kept for later
ranked      the same of ranked lists
actions     everything that people, staff, raw SQL and misfortune do
machine     Hypothesis chooses; a segment is one run from an empty world
"""
