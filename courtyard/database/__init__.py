"""Django's PostgreSQL, which refuses at once while the server is known to be away."""
