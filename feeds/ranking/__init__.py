"""The second order of the feed: ranked when it is read, off the path of fan-out, and stable while one pages.

    1  candidates   the newest of the exact feed, merged and filtered, and what other sources add   (candidates.py)
    2  signals      what is known of viewer, author and menu, in a few bounded queries              (signals.py)
    3  scores       by the ranker that settings name: pure, candidates and a moment in, order out   (rankers.py)
    4  arrangement  nearly the same menu again, no author crowds out the rest, rare cooks            (arranging.py)
    5  snapshot     the order as it is now, paged by position; each page filters as of its moment   (snapshot.py)

serving.py does one after the other.
"""
