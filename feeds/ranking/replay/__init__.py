"""The offline check of weights: recorded views against the places that other orders would have given them.

    sessions     who opened menus on a day, one after the other, and when each began to look
    past         what all had done about menus by a moment
    candidates   what a viewer's ranked feed would have been made of at that moment
    replaying    the same candidates in several orders, and where each viewed menu stands in them
    missing      why a viewed menu was no candidate
    figures      from places to figures and a drawing: pure

Nothing that happened after a session began is in its orders, and nothing is written. What the database keeps no
history of is as of today: what a menu says, whether staff have hidden it, who is active, follows that have ended,
mutes, likes taken back. Whether dishes were sold out by then is not known: all count as not.
"""
