#!/bin/sh
# A compiler launcher that preprocesses instead of compiling. A build system rebuilds the same files
# for the same reasons, in a tenth of the time.
for argument; do
  if [ "$argument" = -c ]; then argument=-E; fi
  set -- "$@" "$argument"
  shift
done
exec "$@"
