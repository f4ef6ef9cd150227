#!/bin/sh
# ccache_launcher.sh [--any-folder] COMPILER ARGUMENT...: runs a compiler through ccache, except for
# precompiled headers: GCC also identifies headers that are included once by their time, so a cached
# precompiled header would include them again. A precompiled header differs from build to build even when
# its contents are the same; ccache identifies it by a checksum of what it was made from instead, so that
# rebuilding it does not empty the cache.
# With --any-folder, clones of the project share what they compile. Debug information then names the
# folder that compiled it first.
root=$(cd "$(dirname "$0")/.." && pwd)
if [ "$1" = --any-folder ]; then
  shift
  export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=true
  # ccache does the same with all paths except those that -Xclang passes on, of precompiled headers.
  case $PWD in
  "$root"/*)
    up=$(echo "${PWD#"$root"}" | sed 's|/[^/]*|../|g')
    previous=
    for argument; do
      shift
      case $previous$argument in
      -Xclang"$root"/*) argument=$up${argument#"$root"/} ;;
      esac
      previous=$argument
      set -- "$@" "$argument"
    done
    ;;
  esac
fi
case " $* " in
*" -x c++-header "*) ;;
*)
  export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=true
  exec ccache "$@"
  ;;
esac

# The checksum comes first: once the precompiled header is there, the preprocessor reads that instead of
# what it is made from. Dependencies are left to the compilation, for the same reason.
(
  output=
  skip=
  for argument; do
    shift
    case $skip in
    -o) output=$argument ;;
    esac
    if [ "$skip" ]; then
      skip=
      continue
    fi
    case $argument in
    -o | -MT | -MF | -MQ) skip=$argument ;;
    -MD | -MMD) ;;
    -emit-pch) set -- "$@" -E ;; # of Clang's own options
    *) set -- "$@" "$argument" ;;
    esac
  done
  case $output in
  *.gch | *.pch)
    rm -f "$output"
    {
      echo "$*"
      "$@" -E -dD -o -
    } 2>/dev/null | sed "s|$root||g" | sha256sum >"$output.sum"
    ;;
  esac
)
exec "$@"
