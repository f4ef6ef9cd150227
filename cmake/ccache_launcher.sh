#!/bin/sh
# Runs a compiler through ccache, except for precompiled headers: GCC also identifies headers that are
# included once by their time, so a cached precompiled header would include them again. A precompiled
# header differs from build to build even when its contents are the same; ccache identifies it by a
# checksum of what it was made from instead, so that rebuilding it does not empty the cache.
case " $* " in
  *" -x c++-header "*) ;;
  *)
    export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=true
    exec ccache "$@" ;;
esac

"$@" || exit
# The same command without its output, to preprocess instead; the compiler comes first.
output=
skip=
for argument; do
  shift
  if [ "$skip" ]; then
    output=$argument
    skip=
  elif [ "$argument" = -o ]; then
    skip=yes
  else
    set -- "$@" "$argument"
  fi
done
case $output in
  *.gch) { echo "$*"; "$@" -E -dD -o -; } 2>/dev/null | sha256sum >"$output.sum" ;;
esac
