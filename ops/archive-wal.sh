#!/bin/sh
# Archives one finished segment of Postgres's write-ahead log: archive-wal.sh PATH NAME. After exit code 0 Postgres deletes
# the segment, so the copy must be complete and on disk by then. An existing copy is never overwritten.
set -eu

archive=${WAL_ARCHIVE:-/backup/wal}
kept=$archive/$2.gz

mkdir -p "$archive"
if [ -e "$kept" ]; then
  # After a crash Postgres may archive a segment again. Succeed if the copy has the same contents, fail otherwise.
  gzip -dc "$kept" | cmp -s - "$1"
  exit
fi
gzip -c "$1" >"$kept.part"
sync "$kept.part"
mv "$kept.part" "$kept"
sync "$archive"
