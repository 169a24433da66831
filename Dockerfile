# One image for web, worker, beat and migrate; docker-compose.yml says which command each runs.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    COURTYARD_HOME=/var/lib/courtyard STATIC_ROOT=/srv/courtyard-static \
    MEDIA_ROOT=/var/lib/courtyard/media UPLOADS_ROOT=/var/lib/courtyard/uploads HOST=0.0.0.0 PORT=8000

# The folders that volumes are laid over take their owner from here.
RUN useradd --system --create-home --home-dir /var/lib/courtyard courtyard \
    && install -d -o courtyard -m 0755 /var/lib/courtyard/media \
    && install -d -o courtyard -m 0700 /var/lib/courtyard/uploads
WORKDIR /srv/courtyard

# The packages change less often than the code: a layer of their own.
COPY requirements.txt ./
RUN pip install --require-hashes -r requirements.txt

COPY . .
# collectstatic reads the settings and reaches no service, so any URLs and any key will do here.
RUN SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(50))')" \
    DATABASE_URL=postgresql://nobody@nowhere/none \
    FEED_REDIS_URL=redis://nowhere CELERY_BROKER_URL=redis://nowhere \
    python manage.py collectstatic --noinput

USER courtyard
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-m", "courtyard.embedded.probe"]
CMD ["python", "-m", "courtyard.embedded.process", "web"]
