"""What the document says before its calls."""

INTRODUCTION = """
Home cooks post menus, customers follow them and read one feed, **Today's menus**.

- **Speaking.** JSON in, JSON out, UTF-8, addresses without a trailing slash. Ids are whole numbers below 2^53,
  times UTC in ISO 8601, prices decimal strings, currencies ISO 4217. Members of a request that are not named here are
  ignored; those that are named must have the right type: a number is no text.
- **Signing in.** `POST /api/v1/auth/token` gives an access token for 15 minutes and a refresh token for 30 days. The
  access token goes with every call: `Authorization: Bearer …`. Without it the answer is 401, except from sign-up,
  signing in and this document.
- **Pages.** `limit` is 1 to 100. `next_cursor` is null at the end and only there; a page may be short and still have
  one. Cursors are opaque, signed, and bound to their reader and their list; they hold a position, not a row, and
  survive the deletion of any post. A damaged or foreign one is 400 `invalid_cursor`.
- **What is new.** `refresh_cursor` marks what was visible at this moment: keep the newest one, ask
  `/api/v1/feed/updates` whether there is more, and `GET /api/v1/feed?since=` for it.
- **Degraded pages.** When a part is away or overloaded, a page of the feed is made of what there is and says so. It
  may lack posts and always has a `next_cursor`; walking on yields what it lacked.
- **Who is seen.** What one may not see is 404 everywhere, for changes too.
- **Repeats.** `PUT` and `DELETE` of relations and likes answer like the first time. Publishing and
  uploads may be repeated with an `Idempotency-Key`.
- **Errors** are `application/problem+json` (RFC 9457) with a stable `code`, and `errors` by field where there are
  any.
- **HEAD** answers like GET without a body. **OPTIONS** needs no token and answers 204 with `Allow`. A method that is
  not there is 405.
""".strip()

TAGS = [
    {"name": "Accounts", "description": "Sign-up, search, one's own account."},
    {"name": "Signing in", "description": "Tokens."},
    {"name": "Relations", "description": "Follows, requests, blocks, mutes."},
    {"name": "Menus", "description": "Menus, their dishes and photos, likes."},
    {"name": "Feed", "description": "Today's menus."},
    {"name": "This document", "description": "For programs and for people."},
]
