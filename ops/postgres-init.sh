#!/bin/sh
# Creates the database, and the logins of the schema's owner, the servers and the operator. Each login has only the rights
# that it needs (docs/operating.md, "Roles"). Runs once, when Postgres creates its data directory.
set -eu

# Passwords come from the environment, because other users can read the arguments of a running command.
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

-- A migration that waits for a lock blocks all sales. It fails after 5 s instead and can be repeated.
alter role saldo_owner set lock_timeout = '5s';

create database saldo owner saldo_owner encoding 'UTF8' template template0;
SQL
