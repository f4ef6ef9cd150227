#!/usr/bin/env bash
# One consumer test: run.sh CASE SOURCE_DIR BINARY_DIR CXX
set -euo pipefail
case=$1 source=$2 binary=$3 cxx=$4
here=$source/tests/consumer

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
app=$scratch/app
cp -r "$here/app" "$app"

fail() { echo "FAILED: $*" >&2; exit 1; }
step() { printf '== %s\n' "$*"; }

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
# The package under test may be built with sanitizers: its users then link with them too.
sanitizer=$(sed -n 's/^FAIRWAY_SANITIZER:[A-Z]*=//p' "$binary/CMakeCache.txt")
flags=${sanitizer:+-fsanitize=$sanitizer}

install_package() {
  step "install"
  cmake --install "$binary" --prefix "$scratch/prefix" >"$scratch/install.log" ||
    { cat "$scratch/install.log"; fail "install"; }
}
configure() {  # configure GENERATOR ARGUMENTS...
  step "configure ($1)"
  cmake -S "$app" -B "$scratch/build" -G "$1" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$scratch/prefix" "${launcher[@]}" "${@:2}"
}
build() { cmake --build "$scratch/build" --parallel 2 "$@"; }
run() {
  step "run"
  local output
  output=$("$scratch/build/consumer") || fail "the program exits with $?: $output"
  echo "$output"
  grep -q '"data":{"copies":2,"text":"x"}' <<<"$output" || fail "the answer is not what was sent"
}

case $case in
  installed)
    install_package
    "$scratch/prefix/bin/fairway" --version
    configure Ninja
    build
    run
    ;;
  installed-makefiles)
    install_package
    configure "Unix Makefiles"
    build
    run
    ;;
  subdirectory)
    # Fairway is built from scratch here: without debug information that is a third quicker.
    configure Ninja -DFAIRWAY_FROM=subdirectory -DFAIRWAY_DIR="$source" -DCMAKE_BUILD_TYPE= \
      -DFAIRWAY_DOCS_VIEWER=OFF
    build --target consumer
    run
    ;;
  precompiled-unity)
    install_package
    configure Ninja -DCONSUMER_PRECOMPILE=ON
    build
    run
    ;;
  incremental)
    install_package
    configure Ninja
    build
    table=$scratch/build/fairway/consumer/app_table.cpp

    step "nothing changed: nothing runs"
    build | tee "$scratch/log"
    grep -q 'no work to do' "$scratch/log" || fail "a second build has work to do"

    step "a handler's body changed: the table stays"
    before=$(stat -c %Y.%y "$table")
    sed -i 's/value_or(1)/value_or(3)/' "$app/src/routes/notes.cpp"
    build
    [ "$before" = "$(stat -c %Y.%y "$table")" ] || fail "the table was written again"

    step "a constant that a route path uses changed: the table follows"
    sed -i 's|kListPath = "/"|kListPath = "/all"|' "$app/src/limits.hpp"
    build
    grep -q '"/notes/all"' "$table" || fail "the table does not have the new path"
    run

    step "the document follows the routes, and a configuration that comes later"
    document=$scratch/build/openapi.yaml
    grep -q '^  /notes/all:' "$document" || fail "the document does not have the new path"
    grep -q 'version: "2.3.4"' "$document" || fail "the document does not have the project's version"
    mkdir "$app/config"
    echo '{"openapi": {"info": {"title": "Configured"}}}' >"$app/config/default.json"
    build
    grep -q 'title: Configured' "$document" || fail "the document does not follow the configuration"
    sed -i 's/Configured/Changed/' "$app/config/default.json"
    build
    grep -q 'title: Changed' "$document" || fail "the document does not follow the configuration"

    step "so do the clients"
    for client in notes_client.hpp notes.ts; do
      grep -q "/notes/all" "$scratch/build/clients/$client" || fail "$client lacks the new path"
      cmp "$scratch/build/clients/$client" "$scratch/build/fairway/consumer/client/$client" ||
        fail "the two copies of $client differ"
    done

    step "a new file is noticed"
    sed 's|"/"|"/new"|' "$app/src/routes/archive.cpp" >"$app/src/routes/added.cpp"
    build
    grep -q '"/added/new"' "$table" || fail "the table does not have the added file"

    step "a broken file fails the build with a diagnostic and leaves the table alone"
    before=$(cat "$table")
    sed -i 's|app.get("/new"|app.get(std::string("/n") + "ew"|' "$app/src/routes/added.cpp"
    if build >"$scratch/log" 2>&1; then fail "the build of a broken route succeeds"; fi
    cat "$scratch/log"
    grep -q 'route-path-not-static' "$scratch/log" || fail "no diagnostic"
    [ "$before" = "$(cat "$table")" ] || fail "the table was touched"
    ;;
  rebuilds)
    # What a change makes a build do, with each compiler and generator that is there.
    install_package
    sources=$scratch/sources
    mkdir -p "$sources/src/routes"
    cp "$here"/app/src/routes/{notes,archive}.cpp "$sources/src/routes"
    cp "$here/app/src/limits.hpp" "$sources/src"
    printf '#include <fairway/app_table.hpp>\nint main() { (void)fairway_app(); }\n' >"$sources/src/main.cpp"
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nfind_package(Fairway CONFIG REQUIRED)\nadd_executable(p src/main.cpp)\nfairway_add_app(p)\n' >"$sources/CMakeLists.txt"
    since_mark() {  # since_mark FOLDER PATTERN: names of the files written
      find "$scratch/build/$1" -name "$2" -newer "$scratch/mark" -printf '%f\n' | sort | xargs
    }
    change() {  # change FILE SED-SCRIPT OBJECTS TABLES: written then, and no others
      sleep 0.1
      touch "$scratch/mark"
      sleep 0.1
      sed -i "$2" "$app/src/$1"
      build >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "$pair: the build after a change of $1"; }
      [ "$(since_mark . '*.o')" = "$3" ] || fail "$pair: for $1 it compiles $(since_mark . '*.o')"
      [ "$(since_mark fairway '*app_table.?pp')" = "$4" ] || fail "$pair: wrong table after $1"
    }
    for cxx in g++ clang++-19; do
      command -v "$cxx" >/dev/null || continue
      for generator in Ninja 'Unix Makefiles'; do
        pair="$cxx, $generator"
        rm -rf "$app" "$scratch/build"
        cp -r "$sources" "$app"
        configure "$generator" >/dev/null
        build >/dev/null
        change routes/notes.cpp 's/value_or(1)/value_or(3)/' notes.cpp.o ''
        change limits.hpp 's|kListPath = "/"|kListPath = "/all"|' 'app_table.cpp.o notes.cpp.o' app_table.cpp
        grep -q '"/notes/all"' "$scratch/build/fairway/p/app_table.cpp" || fail "$pair: an old table"
      done
    done
    ;;
  mistakes)
    install_package
    expect_error() {  # expect_error TEXT LINES-OF-CMAKE
      printf 'cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nfind_package(Fairway CONFIG REQUIRED)\n%s\n' "$2" >"$app/CMakeLists.txt"
      rm -rf "$scratch/build"
      if configure Ninja >"$scratch/log" 2>&1; then fail "accepted: $2"; fi
      tr -s ' \n' ' ' <"$scratch/log" | grep -qF "$1" || { cat "$scratch/log"; fail "no word of: $1"; }
    }
    expect_error 'there is no such target' 'fairway_add_app(nobody)'
    expect_error 'unknown arguments: SOURCES' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCES src)'
    expect_error 'no folder' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCE_DIR elsewhere)'
    expect_error 'no value for: SOURCE_DIR' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCE_DIR)'
    ;;
  *) fail "unknown case '$case'" ;;
esac
echo "passed: $case"
