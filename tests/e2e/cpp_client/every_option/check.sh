#!/usr/bin/env bash
# The client of a tree with every option compiles without a warning in a project that has nothing of
# Fairway but this header. Usage: check.sh FAIRWAY INCLUDE_DIR COMPILER...
set -euo pipefail
fairway=$1 include=$2
shift 2
cd "$(dirname "$0")"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$fairway" client cpp --source-dir src --client-name every -o "$scratch/every_client.hpp" \
  -- -std=c++20 -I"$include"
cp main.cpp "$scratch"
read -ra httplib <<<"$(pkg-config --cflags cpp-httplib)"
# A deprecated operation says so to who calls it: a warning of the first compiler, an error of none.
deprecated=-Wno-error=deprecated-declarations
for compiler in "$@"; do
  echo "== $compiler"
  # The part for sockets, too, which this client does not need.
  "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
    -DFAIRWAY_CLIENT_WITH_SOCKETS "$deprecated" "${httplib[@]}" "$scratch/main.cpp" 2>"$scratch/log" || {
    cat "$scratch/log"
    exit 1
  }
  if [ "$compiler" = "$1" ] && ! grep -q '_2fast.*is deprecated' "$scratch/log"; then
    echo "FAILED: nothing about the deprecated operation" >&2
    exit 1
  fi
  deprecated=-Wno-deprecated-declarations
done
echo "passed"
