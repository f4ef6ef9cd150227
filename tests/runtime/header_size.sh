#!/usr/bin/env bash
# Fails if <fairway/routes.hpp> includes the header of fw::Json, or if it has become much larger, if
# <fairway/fairway.hpp> does not include it, and if more than includes depends on FAIRWAY_WITHOUT_JSON, because a program
# may consist of files with and without it. Usage: header_size.sh COMPILER INCLUDE_DIR
set -euo pipefail
compile=("$1" -std=c++20 "-I$2" -x c++ -E)
most=2400000 # bytes with libstdc++ 12

macros=$(echo '#include <fairway/routes.hpp>' | "${compile[@]}" -dM -)
if grep -q '^#define INCLUDE_NLOHMANN_JSON_HPP_' <<<"$macros"; then
  echo "<fairway/routes.hpp> includes <nlohmann/json.hpp>"
  exit 1
fi
macros=$(echo '#include <fairway/fairway.hpp>' | "${compile[@]}" -dM -)
if ! grep -q '^#define INCLUDE_NLOHMANN_JSON_HPP_' <<<"$macros"; then
  echo "<fairway/fairway.hpp> does not include <nlohmann/json.hpp>"
  exit 1
fi
others=$(awk '
  /^#if.*FAIRWAY_WITHOUT_JSON/ { inside = 1; next }
  /^#endif/ { inside = 0 }
  inside && !/^#include / { print FILENAME ": " $0 }' "$2"/fairway/*.hpp "$2"/fairway/generated/*.hpp)
if [ -n "$others" ]; then
  echo "FAIRWAY_WITHOUT_JSON decides about more than includes:"
  echo "$others"
  exit 1
fi
size=$(echo '#include <fairway/routes.hpp>' | "${compile[@]}" -P - | wc -c)
if [ "$size" -gt "$most" ]; then
  echo "<fairway/routes.hpp> has $size bytes, and may have $most: what includes more?"
  exit 1
fi
