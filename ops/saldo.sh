#!/bin/sh
# The operator's command line on a server: reads the settings and one login, then runs saldo. SALDO_ENV is the settings
# file of another login. SALDO_HOME is the folder of another version.
set -a
. /etc/saldo/saldo.env
. "${SALDO_ENV:-/etc/saldo/operator.env}"
exec /usr/bin/node "${SALDO_HOME:-/opt/saldo}"/facade/cli/main.js "$@"
