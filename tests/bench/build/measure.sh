#!/usr/bin/env bash
# From the save of a route file to the linked program, step by step: measure.sh PREFIX [ROUNDS]
# PREFIX has an installed release build of Fairway with its route compiler. The program is the sample `orders` as a project of its
# own. Prints a table: processor time in milliseconds, the medians of ROUNDS (default 5) changes. Each step
# is a single thread, so that this is also its time on a quiet machine.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd)
prefix=$(realpath "$1")
rounds=${2:-5}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$source/samples/orders/." "$scratch"
mkdir "$scratch/database"
cp "$source"/samples/database/*.[ch]pp "$scratch/database"
cat >"$scratch/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(orders LANGUAGES CXX)
find_package(Fairway CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
file(GLOB sources src/services/*.cpp database/*.cpp)
add_executable(orders src/main.cpp ${sources})
fairway_add_app(orders SOURCE_DIR src)
target_include_directories(orders PRIVATE src .)
target_link_libraries(orders PRIVATE SQLite::SQLite3)
END
route=$scratch/src/routes/orders.cpp
build=$scratch/build

median() { sort -n | sed -n "$(((rounds + 1) / 2))p"; }

TIMEFORMAT='%U %S'
cpu() { # cpu COMMAND: processor time in milliseconds
  { time bash -c "$1" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%d\n", ($1 + $2) * 1000 }'
}
step() { cpu "cd '$build' && $(ninja -C "$build" -t commands -s "$1" | tail -n 1)"; } # step OUTPUT

row() { # row NAME ARGUMENTS-OF-CMAKE...
  rm -rf "$build"
  cmake -S "$scratch" -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug "${@:2}" >/dev/null
  cmake --build "$build" >/dev/null
  rm -f "$scratch"/times.*
  local part round
  for ((round = 1; round <= rounds; ++round)); do
    cpu "cmake --build '$build'" >>"$scratch/times.check"
    sed -i '/^\/\/ round/d' "$route"
    echo "// round $round" >>"$route"
    step "$build/fairway/orders/routes.errors" >>"$scratch/times.routes"
    step CMakeFiles/orders.dir/src/routes/orders.cpp.o >>"$scratch/times.compile"
    step orders >>"$scratch/times.link"
    cmake --build "$build" >/dev/null
    tail -qn 1 "$scratch"/times.{check,routes,compile,link} | awk '{ sum += $1 } END { print sum }' >>"$scratch/times.all"
  done
  printf '| %s |' "$1"
  for part in check routes compile link all; do printf ' %s |' "$(median <"$scratch/times.$part")"; done
  echo
}

echo '| build | build tool | routes | compile | link | all |'
echo '|---|--:|--:|--:|--:|--:|'
plain=(-DFAIRWAY_PRECOMPILE_HEADER=OFF)
row 'without precompiled header, linker of the compiler' "${plain[@]}" -DFAIRWAY_LINKER=DEFAULT
row 'with precompiled header' -DFAIRWAY_LINKER=DEFAULT
for linker in gold lld mold; do
  if command -v "ld.$linker" >/dev/null; then row "with precompiled header, $linker" -DFAIRWAY_LINKER="$linker"; fi
done
row 'as before, with line numbers only: `fairway dev` with GCC' -DCMAKE_CXX_FLAGS_DEBUG=-g1
for clang in clang++-19 clang++; do
  if command -v "$clang" >/dev/null; then
    row "the same with $clang: \`fairway dev\`" -DCMAKE_CXX_FLAGS_DEBUG=-g1 -DCMAKE_CXX_COMPILER="$clang"
    break
  fi
done
