#!/bin/sh
# Postgres hands a finished piece of its log over: archive-wal.sh PATH NAME. It forgets the piece once this has succeeded,
# so it has to be whole and on the disk by then, and an older one of that name must not be lost.
set -eu

archive=${WAL_ARCHIVE:-/backup/wal}
kept=$archive/$2.gz

mkdir -p "$archive"
if [ -e "$kept" ]; then
  # After a crash Postgres may hand over what it did not know to be kept. The same again is well, another is not.
  gzip -dc "$kept" | cmp -s - "$1"
  exit
fi
gzip -c "$1" >"$kept.part"
sync "$kept.part"
mv "$kept.part" "$kept"
sync "$archive"
