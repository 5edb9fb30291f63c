# Two images: `site` (web, worker, registrar, beat) and `arena`, which has no Django, no database driver and no secrets.
# Debian, not Alpine: the locks hold wheels for glibc.

FROM python:3.11-slim-bookworm AS base
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /srv/bella

FROM base AS arena
COPY requirements-arena.lock .
RUN pip install --require-hashes --root-user-action ignore -r requirements-arena.lock
COPY config/__init__.py config/celery_options.py config/env.py config/
COPY config/arena config/arena
COPY bots/__init__.py bots/protocol.py bots/
COPY bots/sandbox bots/sandbox
COPY bots/arena bots/arena
COPY games/__init__.py games/
COPY games/engine games/engine
USER 64100:64100
ENV HOME=/cache ARENA_CACHE=/cache
CMD ["sh", "-c", "exec celery -A config.arena worker -Q arena -c ${ARENA_CHILDREN:-2} -l INFO --without-gossip --without-mingle --without-heartbeat"]

FROM base AS site
COPY requirements.lock .
RUN pip install --require-hashes --root-user-action ignore -r requirements.lock
COPY manage.py ./
COPY config config
COPY accounts accounts
COPY games games
COPY bots bots
COPY league league
COPY templates templates
COPY static static
COPY locale locale
# The addresses are not used: to collect files, the settings need only be readable.
RUN python -m config.catalogues compile \
 && SECRET_KEY=build DATABASE_URL=postgresql://build@localhost/build VALKEY_URL=redis://localhost \
    STATIC_ROOT=/srv/static python manage.py collectstatic --noinput -v 0
# A named volume takes over the owner of the folder that it covers.
RUN install -d -o 10001 -g 10001 -m 0700 /media
ENV STATIC_ROOT=/srv/static MEDIA_ROOT=/media
USER 10001:10001
EXPOSE 8000
CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--no-access-log", "--no-proxy-headers", "--no-server-header", "--timeout-graceful-shutdown", "10"]
