#!/bin/sh
# What the entry point of the image postgres:17.11 does: an empty volume becomes a database, then the server starts.
set -eu
PATH=/usr/lib/postgresql/17/bin:$PATH PGDATA=/var/lib/postgresql/data
export PATH PGDATA
cd /
as_postgres() { setpriv --reuid postgres --regid postgres --init-groups "$@"; }
chown postgres: "$PGDATA"
if ! test -s "$PGDATA/complete"; then
  find "$PGDATA" -mindepth 1 -delete
  echo "$POSTGRES_PASSWORD" > /tmp/password
  chown postgres: /tmp/password
  as_postgres initdb --no-sync --encoding UTF8 --locale C.UTF-8 --username "$POSTGRES_USER" \
    --pwfile /tmp/password --auth-local trust --auth-host scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  as_postgres pg_ctl -w -o '-c listen_addresses=' start
  as_postgres createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
  as_postgres pg_ctl -w stop
  echo yes > "$PGDATA/complete"
fi
exec setpriv --reuid postgres --regid postgres --init-groups postgres -c 'listen_addresses=*'
