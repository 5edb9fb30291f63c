#!/bin/sh
# Print an environment file with fresh secrets:  sh deploy/make-env.sh bella.example.org > .env
set -eu
name=${1:?usage: sh deploy/make-env.sh NAME-OF-THE-SITE > .env}
fresh() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
cat <<END
SITE_ADDRESS=$name
BASE_URL=https://$name
SECRET_KEY=$(fresh)$(fresh)
POSTGRES_PASSWORD=$(fresh)
VALKEY_PASSWORD=$(fresh)
ARENA_PASSWORD=$(fresh)
METRICS_TOKEN=$(fresh)
# Where mail goes: smtp+tls://user:password@mail.example.org:587
EMAIL_URL=consolemail://
DEFAULT_FROM_EMAIL="Bella <bella@$name>"
# Children of the arena, each on a core of its own
ARENA_CHILDREN=2
END
