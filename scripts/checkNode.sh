#!/bin/sh
# Runs after npm ci and before npm's scripts. If the Node that the scripts use cannot start, prints what to install.
said=$(node --version 2>&1) && exit
case $said in
  *libatomic.so.1*) lacks="install it with apt-get install libatomic1 (Debian, Ubuntu) or dnf install libatomic (Fedora)" ;;
  *) lacks="install what it lacks" ;;
esac
# npm leaves out the embedded Postgres if Node cannot start, so npm ci must run again.
echo "error: Node cannot start ($said): $lacks, and run npm ci again" >&2
echo "Or install a newer Node on this system and run npm ci --omit=optional, which brings neither Node nor Postgres." >&2
exit 1
