#!/usr/bin/env bash
# Prints what it costs to compile and to start an application, as the tables of docs/speed.md:
# build_cost.sh [--programs] [BUILD ...]. BUILD is a build folder that contains the sample `hello`; by default
# build/release, which is built if it does not contain it. Times are the least of several runs, because other
# load only adds to them. --programs leaves out what it costs to compile.
set -euo pipefail
if [ "${1:-}" = --help ]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
  exit
fi
cd "$(dirname "$0")/.."
start=$PWD/tests/bench/http/start.mjs

compiles=yes
if [ "${1:-}" = --programs ]; then
  compiles=
  shift
fi
build=${1:-build/release}
folders=("$build" "${@:2}")
program=$build/samples/hello/hello
if [ ! -x "$program" ]; then
  if [ $# -gt 0 ]; then
    echo "build_cost: there is no $program" >&2
    exit 2
  fi
  cmake --preset release >&2
  cmake --build --preset release --target hello >&2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
runs=5
# `orders.cpp` with each of the two headers: $scratch/fairway.cpp and $scratch/routes.cpp.
for header in fairway routes; do
  echo "#include <fairway/$header.hpp>" >"$scratch/$header.hpp"
  sed "s|<fairway/routes.hpp>|<fairway/$header.hpp>|" samples/orders/src/routes/orders.cpp >"$scratch/$header.cpp"
done
flags=(-std=c++20 -Iruntime/include -Isamples -Isamples/orders/src
  -Igenerated/orders/include -Igenerated/orders/include/fairway/routes
  -Dfairway_default_export=fairway_export_routes_2forders_2ecpp)

seconds() { # seconds COMMAND...: the least processor time
  local least='' used TIMEFORMAT='%U %S'
  for ((run = 0; run < runs; run++)); do
    { time "$@" 2>"$scratch/errors" || {
      cat "$scratch/errors" >&2
      exit 1
    }; } 2>"$scratch/time"
    used=$(awk '{ printf "%.1f", $1 + $2 }' "$scratch/time")
    if [ -z "$least" ] || awk "BEGIN { exit !($used < $least) }"; then least=$used; fi
  done
  echo "$least"
}
version() { "$1" -dumpfullversion -dumpversion | head -n 1; }

row() { printf '| %s | %s | %s |\n' "$@"; }
megabytes() { awk -v bytes="$(wc -c)" 'BEGIN { printf "%.2f", bytes / 1e6 }'; }

compile_costs() {
  echo '| | GCC '"$(version g++)"' | Clang '"$(version clang++-19)"' |'
  echo '|---|--:|--:|'
  local header file level
  for header in fairway routes; do
    for file in hpp cpp; do
      sizes=()
      for compiler in g++ clang++-19; do
        sizes+=("$("$compiler" "${flags[@]}" -E -P -x c++ "$scratch/$header.$file" | megabytes)")
      done
      [ $file = hpp ] && what="\`<fairway/$header.hpp>\`" || what="\`orders.cpp\` with it"
      row "$what, preprocessed, MB" "${sizes[@]}"
    done
  done
  for level in -O0 -O2; do
    for header in fairway routes; do
      without=() precompiling=() with=()
      for compiler in g++ clang++-19; do
        compile=("$compiler" "${flags[@]}" "$level")
        without+=("$(seconds "${compile[@]}" -c "$scratch/$header.cpp" -o "$scratch/object.o")")
        if [ "$compiler" = g++ ]; then
          output=$scratch/$header.hpp.gch use=(-include "$scratch/$header.hpp")
        else
          output=$scratch/$header.pch use=(-include-pch "$scratch/$header.pch")
        fi
        precompiling+=("$(seconds "${compile[@]}" -x c++-header "$scratch/$header.hpp" -o "$output")")
        with+=("$(seconds "${compile[@]}" "${use[@]}" -c "$scratch/$header.cpp" -o "$scratch/object.o")")
        rm "$output"
      done
      row "\`orders.cpp\` with \`<fairway/$header.hpp>\`, \`$level\`, s" "${without[@]}"
      row "the same with that header precompiled, \`$level\`, s" "${with[@]}"
      row "the precompiled \`<fairway/$header.hpp>\`, \`$level\`, s" "${precompiling[@]}"
    done
  done
  echo
}
[ -z "$compiles" ] || compile_costs

echo '| stripped `hello` | MB | first response after its start, ms | processor time until then, ms | RSS, MB | of it anonymous, MB | threads |'
echo '|---|--:|--:|--:|--:|--:|--:|'
for folder in "${folders[@]}"; do
  strip -o "$scratch/hello" "$folder/samples/hello/hello"
  printf '| `%s` | %s | ' "$folder" "$(megabytes <"$scratch/hello")"
  (cd "$scratch" && node "$start" "$scratch/hello" /hello/world)
done
