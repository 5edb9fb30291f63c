#!/bin/sh
# Start Valkey with the site's user and the arena's.  The file of users holds digests, never the passwords.
set -eu
umask 077
here=$(dirname "$0")
acl=${ACL_DIR:-/run/valkey}/users.acl
digest() { printf %s "$1" | sha256sum | cut -d' ' -f1; }
sed -e "s/@VALKEY_PASSWORD@/$(digest "$VALKEY_PASSWORD")/" -e "s/@ARENA_PASSWORD@/$(digest "$ARENA_PASSWORD")/" \
  "$here/users.acl.template" > "$acl"
unset VALKEY_PASSWORD ARENA_PASSWORD
exec valkey-server --aclfile "$acl" --dir "${DATA_DIR:-/data}" --appendonly yes --save '' --proto-max-bulk-len 16mb \
  --maxmemory "${VALKEY_MAXMEMORY:-1gb}" --maxmemory-policy noeviction "$@"
