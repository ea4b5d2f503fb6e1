#!/bin/sh
# Runs once, when Postgres makes its data: who owns the schema, who serves, and who operates. Each has a login of its own,
# and no more rights than it needs (docs/operating.md, "Roles").
set -eu

# The passwords come by the environment: what stands in a command line, others can read while it runs.
export OWNER_PASSWORD SERVER_PASSWORD OPERATOR_PASSWORD
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv owner OWNER_PASSWORD
\getenv server SERVER_PASSWORD
\getenv operator OPERATOR_PASSWORD
create role saldo_reader nologin;
create role saldo_server nologin;
create role saldo_operator nologin;
grant saldo_reader to saldo_server;
grant saldo_server to saldo_operator;

create role saldo_owner login password :'owner';
create role saldo_serving login password :'server' in role saldo_server;
create role saldo_operating login password :'operator' in role saldo_operator;

-- A migration that waits for a lock lets nobody pass: it rather fails, and is tried again.
alter role saldo_owner set lock_timeout = '5s';

create database saldo owner saldo_owner;
SQL
