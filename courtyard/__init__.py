"""The Courtyard project: settings, addresses, the Celery application, embedded services."""
