#!/usr/bin/env bash
# One consumer test: run.sh CASE SOURCE_DIR BINARY_DIR CXX
# The cases are in cases/; what they share is here. `install` makes the package that the others use.
set -euo pipefail
case=$1 source=$2 binary=$3 cxx=$4
here=$source/tests/consumer
prefix=$binary/tests/consumer/prefix
fairway=$prefix/bin/fairway

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
app=$scratch/app

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
step() { printf '== %s\n' "$*"; }

# The package under test may be built with sanitizers: its users then link with them too.
sanitizer=$(sed -n 's/^FAIRWAY_SANITIZER:[A-Z]*=//p' "$binary/CMakeCache.txt")
flags=${sanitizer:+-fsanitize=$sanitizer}

# Precompiled headers and other linkers have a case of their own, and projects of `fairway new`.
settings=(-DFAIRWAY_PRECOMPILE_HEADER=OFF -DFAIRWAY_LINKER=DEFAULT)
configure() { # configure GENERATOR ARGUMENTS...
  step "configure ($1)"
  cmake -S "$app" -B "$scratch/build" -G "$1" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" \
    -DCMAKE_PREFIX_PATH="$prefix" "${settings[@]}" "${@:2}"
}
# Objects are made from preprocessed text in a tenth of the time: what is rebuilt is the same.
configure_preprocessing() {
  configure "$1" -DCONSUMER_OBJECTS=ON -DCMAKE_CXX_COMPILER_LAUNCHER="$here/preprocess.sh" "${@:2}"
}
build() { cmake --build "$scratch/build" --parallel 2 "$@"; }
# Fairway as a subdirectory, without compiling it: the objects of the project alone are built, and its
# own link commands are run with the archives of the build under test.
build_objects() { # build_objects PATTERN-OF-FOLDERS FOLDER...
  ninja -C "$scratch/build" -t targets all >"$scratch/targets"
  local objects pattern
  objects=$(sed -n "s/^\($1\/.*\.o\):.*/\1/p" "$scratch/targets")
  # shellcheck disable=SC2086
  ninja -C "$scratch/build" -j2 $objects
  pattern=$(printf '|/%s/' "${@:2}")
  find "$scratch/build" -name '*.o' | grep -vE "${pattern:1}" && fail "more was compiled than the program"
  return 0
}
link_with_archives() { # link_with_archives FOLDER-OF-FAIRWAY TARGET...
  local archive target
  for archive in runtime/libfairway_{runtime,schema,testing}.a; do
    ln -s "$binary/$archive" "$scratch/build/$1/$archive"
  done
  for target in "${@:2}"; do
    (cd "$scratch/build" && eval "$(ninja -t commands "$target" | tail -n 1)")
  done
}
# `fairway` in the folder of the application, with the cache of the build.
in_app() { (cd "$app" && "$fairway" "$@" -p "$scratch/build" --cache-dir "$scratch/build/fairway-cache"); }
# Projects of `fairway new`.
create() { # create NAME ARGUMENTS...
  step "fairway new $*"
  (cd "$scratch" && "$fairway" new "$@" >"$scratch/log") || fail "fairway new $*"
  app=$scratch/$1
  rm -rf "$scratch/build"
  [ -z "$(find "$scratch" -maxdepth 1 -name '.*.??????')" ] || fail "a temporary folder remains"
  find "$app" -name '*.[ch]pp' -exec clang-format-19 --dry-run --Werror {} +
  ! grep -rn '@[a-z_]*@' "$app" || fail "a placeholder remains"
  # Without a precompiled header, which would include everything.
  local header
  while read -r header; do
    "$cxx" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" -I"$app/src" -include "$header" \
      -x c++ /dev/null || fail "$header does not include what it uses"
  done < <(find "$app/src" -name '*.hpp')
}
check_project() { # check_project GENERATOR ARGUMENTS...
  configure "$1" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= "${@:2}"
  build
  ctest --test-dir "$scratch/build" --output-on-failure
  build --target doctor
}
# expect_precompiled FILE...: they are compiled with a precompiled header.
expect_precompiled() {
  local file
  for file; do
    ninja -C "$scratch/build" -t commands | grep -- "-c .*/$file" | grep cmake_pch >/dev/null ||
      fail "$file is compiled without the precompiled header"
  done
}
# expect_precompiled_header HEADER: it is the one that is precompiled.
expect_precompiled_header() {
  local headers
  headers=$(find "$scratch/build" -name cmake_pch.hxx -exec sed -n 's|^#include <\(fairway/.*\)>|\1|p' {} + | sort -u)
  [ "$headers" = "$1" ] || fail "precompiled: $headers"
}
make_packages() { # sets `packages`
  step "cpack"
  (cd "$scratch" && cpack --config "$binary/CPackConfig.cmake" -B "$scratch/packages" \
    -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip) >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "cpack"
  }
  packages=("$scratch"/packages/{fairway,libfairway-dev}_*.deb)
}
run() {
  step "run"
  local output
  output=$("$scratch/build/consumer") || fail "the program exits with $?: $output"
  echo "$output"
  grep -q '"data":{"copies":2,"text":"x"}' <<<"$output" || fail "the response is not what was sent"
}
# The routes of a table, for example "/flags/debug /notes/".
routes_in() { sed -n 's/^ *{"[A-Z]*", "[^"]*", "\([^"]*\)".*/\1/p' "$1" | sort | xargs; }

[ -e "$here/cases/$case.sh" ] || fail "unknown case '$case'"
# shellcheck disable=SC1090
source "$here/cases/$case.sh"
echo "passed: $case"
