#!/bin/sh
# Runs a compiler through ccache, except for precompiled headers: GCC knows headers that are included
# once by their time too, so that a cached one would let them be included again.
case " $* " in
  *" -x c++-header "*) exec "$@" ;;
esac
CCACHE_SLOPPINESS=pch_defines,time_macros exec ccache "$@"
