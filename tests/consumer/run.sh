#!/usr/bin/env bash
# One consumer test: run.sh CASE SOURCE_DIR BINARY_DIR CXX
# The case `install` makes the package that the others use.
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
    ninja -C "$scratch/build" -t commands | grep -- "-c .*/$file" | grep -q cmake_pch ||
      fail "$file is compiled without the precompiled header"
  done
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

case $case in
install)
  rm -rf "$prefix"
  cmake --install "$binary" --prefix "$prefix" >"$scratch/log" || {
    cat "$scratch/log"
    fail "install"
  }
  "$fairway" --version
  ;;
readme)
  # The project of docs/existing-project.md, as printed, which has the blocks of README.md: a block whose first line
  # names a file is that file. A second block for the same file is an alternative, "<file>.2".
  mkdir -p "$app"/{src/routes,tests,cli}
  awk -v app="$app" '
      /^```/ { inside = !inside; first = inside; file = ""; next }
      first && ($1 == "//" || $1 == "#") && $2 ~ /\.(cpp|ts|txt)$/ {
        file = app "/" $2
        if (++blocks[file] > 1) file = file "." blocks[file]
      }
      { first = 0 }
      file { print > file }' "$source/docs/existing-project.md"
  (cd "$app" && find . -type f | sort)
  configure Ninja
  step "doctor, before the first build"
  (cd "$app" && "$fairway" doctor -p "$scratch/build" --strict)
  rm -r "$scratch/build"

  step "a library, a program, a test and a client, with nothing built before"
  mv "$app/CMakeLists.txt.2" "$app/CMakeLists.txt"
  configure Ninja
  build --target my-cli
  build
  (cd "$scratch/build" && ctest --output-on-failure)
  ! nm -C "$scratch/build/my-cli" | grep -q ' fw::' || fail "the client links the framework"

  step "the client in TypeScript"
  cp "$scratch/build/fairway/app/client/app.ts" "$app/cli/"
  node "$source/tools/npm/node_modules/typescript/bin/tsc" --noEmit --strict --target es2022 --module esnext \
    --moduleResolution bundler --lib es2022,dom "$app/cli/main.ts"

  step "the document of README.md"
  excerpt=$(sed -n '/^# openapi.yaml/,/^```/ { /^[#`]/d; s/^/    /; p }' "$source/README.md")
  [ -n "$excerpt" ] || fail "README.md shows nothing of the document"
  document=$(in_app openapi --format yaml)
  [[ $document == *"$excerpt"* ]] || fail "README.md shows another document than $document"
  ;;
flags)
  cp -r "$here/flags" "$app"
  table() { # table WHAT APPLICATION ROUTES [ARGUMENTS-OF-THE-BUILD...]
    step "$1"
    build --target "${2//\//_}_routes" "${@:4}"
    local routes
    routes=$(routes_in "$scratch/build/fairway/$2/app_table.cpp")
    [ "$routes" = "$3" ] || fail "$1: the table has '$routes', not '$3'"
  }
  debug="/flags/c++23 /flags/debug /flags/file /flags/generator-expression /flags/shell-option"
  release="/flags/c++23 /flags/configuration /flags/file /flags/generator-expression /flags/shell-option"
  of_release=(-DCMAKE_CXX_FLAGS_RELEASE="-DNDEBUG -DOF_THE_CONFIGURATION")
  configure 'Ninja Multi-Config' "${of_release[@]}"
  table 'Ninja Multi-Config, Debug' flags "$debug" --config Debug
  table 'Ninja Multi-Config, Release' flags "$release" --config Release
  table 'the same files in another target' again/again '/flags/again /flags/configuration /flags/file /flags/shell-option' --config Release
  table 'a file of the same name' second/second '/flags/second' --config Release
  # The start compares the table with what was compiled.
  step "a program whose routes depend on its flags"
  build --config Release --target flags
  "$scratch/build/Release/flags" || fail "the table does not fit the program"

  step "doctor finds each file's own command"
  in_app doctor >/dev/null || fail "doctor: src"
  (app=$app/second && in_app doctor >/dev/null) || fail "doctor: second/src"

  step "--name chooses among applications with the same files"
  expect_routes() { # expect_routes ROUTES ARGUMENTS...
    local found
    found=$(in_app routes --format json "${@:2}" 2>"$scratch/notes" |
      sed -n 's/.*"path": "\(.*\)".*/\1/p' | sort | xargs)
    [ "$found" = "$1" ] || {
      cat "$scratch/notes"
      fail "'$found' instead of '$1' with: ${*:2}"
    }
  }
  expect_routes "$debug"
  grep -q "note: 'flags' and 'again' compile the files in '.*/src': they are parsed with the flags of 'flags'; choose" \
    "$scratch/notes" || fail "no note of the two applications"
  expect_routes "$debug" --name flags
  expect_routes '/flags/again /flags/debug /flags/file /flags/shell-option' --name again
  title=$(in_app openapi --name again | sed -n 's/^ *"title": "\(.*\)".*/\1/p')
  [ "$title" = again ] || fail "the title of the document is '$title', not the target"
  in_app openapi --name second --source-dir second/src >"$scratch/second.json"
  grep -qF '"title": "Say \"hi\" \\o/"' "$scratch/second.json" ||
    {
      head "$scratch/second.json"
      fail "the title of the document is not API_TITLE"
    }
  [ ! -s "$scratch/notes" ] || fail "a note about a choice that was made"
  expect_routes '/flags/second' --name second --source-dir second/src
  doctor_fails() { # doctor_fails NAME TEXT
    local status=0
    in_app doctor --name "$1" >"$scratch/log" 2>&1 || status=$?
    [ "$status" -eq 2 ] || fail "doctor --name $1: exit status $status"
    grep -q -- "$2" "$scratch/log" || {
      cat "$scratch/log"
      fail "doctor --name $1: not reported: $2"
    }
  }
  doctor_fails agian "has no application or target 'agian'; it has 'flags', 'again' and 'second'$"
  doctor_fails second "of 'second' are in '.*/second/src', not in '.*/app/src': specify that directory with --source-dir"

  rm -rf "$scratch/build"
  configure 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Release "${of_release[@]}"
  table 'Makefiles, Release' flags "$release"
  step "a changed flag changes the table"
  cmake "$scratch/build" -DCMAKE_CXX_FLAGS_RELEASE= >/dev/null
  table 'Makefiles, without flags' flags "$debug"
  ;;
makefiles)
  cp -r "$here/app" "$app"
  configure 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Debug
  build
  run
  ;;
precompiled-unity)
  cp -r "$here/app" "$app"
  settings=()
  configure Ninja -DCMAKE_BUILD_TYPE=Debug -DCONSUMER_UNITY=ON
  build
  run
  expect_precompiled cli.cpp
  linker=$(cd "$scratch/build" && ninja -t commands consumer | tail -n 1 | sed -n 's/.*-fuse-ld=\([a-z]*\).*/\1/p')
  expected=$(for linker in mold lld; do command -v "ld.$linker"; done | head -n 1 | sed 's/.*ld\.//' || true)
  [ "$linker" = "$expected" ] || fail "linked with '$linker' instead of '$expected'"
  ;;
subdirectory)
  # With a route compiler that is there already. The runtime would be compiled as in every build of
  # Fairway: the program's own link command is run with the archives of this one.
  cp -r "$here/app" "$app"
  configure Ninja -DFAIRWAY_DIR="$source" -DFAIRWAY_COMPILER_EXECUTABLE="$fairway" -DCMAKE_BUILD_TYPE=Debug \
    -DFAIRWAY_DOCS_VIEWER=OFF
  ninja -C "$scratch/build" -t targets all >"$scratch/targets"
  ! grep -qE '(^|/)fairway:|fairway_compiler|_tests|samples/' "$scratch/targets" ||
    fail "a subdirectory brings the compiler, tests or samples"
  build_objects 'CMakeFiles\/consumer\.dir' consumer.dir
  link_with_archives fairway consumer
  run
  ;;
new)
  settings=()
  # Each template in another way; new-everything tests all of them in all ways. The first one is built and
  # changed by project_pages_can_be_followed.
  create shop
  create front --template gateway
  check_project 'Unix Makefiles' -DFAIRWAY_PRECOMPILE_HEADER=OFF -DCMAKE_CXX_FLAGS="-O2 -Wall -Wextra -Werror $flags"
  create site --template pages
  check_project Ninja
  expect_precompiled src/main.cpp tests/main.cpp src/routes/index.cpp

  create tiny --template minimal --fairway-source "$source"
  configure Ninja -DFAIRWAY_COMPILER_EXECUTABLE="$fairway" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= \
    -DFAIRWAY_DOCS_VIEWER=OFF
  build_objects '\(tests\/\)\?CMakeFiles\/tiny[-a-z]*\.dir' tiny-app.dir tiny.dir tiny-tests.dir
  link_with_archives _deps/fairway-build libtiny-app.a tiny tests/tiny-tests
  (cd "$app" && FAIRWAY_ENV=test "$scratch/build/tests/tiny-tests")

  step "without Fairway, the error says what to do"
  create alone --template minimal
  if cmake -S "$app" -B "$scratch/alone-build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" >"$scratch/log" 2>&1; then
    fail "configured without Fairway"
  fi
  grep -q 'DFAIRWAY_SOURCE=<folder or URL>' "$scratch/log" || {
    cat "$scratch/log"
    fail "no remedy"
  }
  ;;
new-everything)
  settings=()
  # For tools/nightly.sh. The sources of Fairway come from a Git repository, the last commit.
  for template in api gateway minimal pages; do
    for generator in Ninja 'Unix Makefiles'; do
      rm -rf "$scratch"/shop*
      create shop --template "$template"
      check_project "$generator"
      for compiler in g++ clang++-19; do
        rm -rf "$scratch/build"
        check_project "$generator" -DFAIRWAY_PRECOMPILE_HEADER=OFF -DCMAKE_CXX_COMPILER="$compiler" \
          -DCMAKE_CXX_FLAGS="-O2 -Wall -Wextra -Werror $flags"
      done
      create shop-from-git --template "$template" --fairway-source "file://$source/.git#HEAD"
      check_project "$generator" -DFAIRWAY_COMPILER_EXECUTABLE="$fairway" -DFAIRWAY_DOCS_VIEWER=OFF
    done
  done
  ;;
incremental)
  cp -r "$here/app" "$app"
  configure_preprocessing Ninja
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

  step "settings of lints that come or go: the routes are compiled again"
  expect_routes_compiled() { # expect_routes_compiled WHEN
    build >"$scratch/log"
    grep -q 'Compiling the routes of consumer' "$scratch/log" || fail "the settings are not read $1"
    build >"$scratch/log"
    grep -q 'no work to do' "$scratch/log" || fail "a second build has work to do $1"
  }
  echo '{"lints": {}}' >"$scratch/.fairway.json"
  touch -d 2020-01-01 "$scratch/.fairway.json"
  expect_routes_compiled "when there is an old file"
  echo '{"lints": {"*": "off"}}' >"$scratch/.fairway.json"
  expect_routes_compiled "after a change"
  echo '{}' >"$app/.fairway.json"
  expect_routes_compiled "when there is a nearer file"
  rm "$app/.fairway.json" "$scratch/.fairway.json"
  expect_routes_compiled "when there is no file any more"

  step "the clients follow the routes, too"
  for client in notes_client.hpp notes.ts; do
    grep -q "/notes/all" "$scratch/build/clients/$client" || fail "$client lacks the new path"
    cmp "$scratch/build/clients/$client" "$scratch/build/fairway/consumer/client/$client" ||
      fail "the two copies of $client differ"
  done
  support=fairway_client_support.hpp
  cmp "$scratch/build/clients/$support" "$scratch/build/fairway/consumer/client/$support" ||
    fail "the two copies of $support differ"

  step "the commands write the same, with what fairway_add_app was given"
  expect_same() {
    in_app openapi --format yaml >"$scratch/document"
    cmp "$scratch/document" "$document" || { diff "$scratch/document" "$document" || fail "fairway openapi"; }
    in_app client ts >"$scratch/client"
    cmp "$scratch/client" "$scratch/build/clients/notes.ts" || fail "fairway client"
  }
  expect_same
  title=$(in_app openapi --title Mine | sed -n 's/^ *"title": "\(.*\)".*/\1/p')
  [ "$title" = Mine ] || fail "the title of the document is '$title', not the value of --title"

  step "a change that breaks clients turns the test of fairway_add_diff_test red, until it is approved"
  cp "$app/CMakeLists.txt" "$scratch/CMakeLists.txt"
  cp "$scratch/build/fairway/consumer/openapi.json" "$app/released.json"
  echo '{"version": 1, "approvals": []}' >"$app/approved.json"
  printf 'enable_testing()\nfairway_add_diff_test(released consumer RELEASED released.json APPROVALS approved.json)\n' \
    >>"$app/CMakeLists.txt"
  compare() { ctest --test-dir "$scratch/build" -R '^released$' --no-tests=error --output-on-failure >"$scratch/log" 2>&1; }
  build
  compare || fail "red without a change: $(<"$scratch/log")"
  sed -i 's|kListPath = "/all"|kListPath = "/every"|' "$app/src/limits.hpp"
  build
  if compare; then fail "green, although an operation was removed"; fi
  grep -q '\[operation-removed\]' "$scratch/log" || fail "no report: $(<"$scratch/log")"
  "$fairway" diff "$app/released.json" "$scratch/build/fairway/consumer/openapi.json" \
    --write-approvals "$app/approved.json" >/dev/null || true
  compare || fail "red, although the change is approved: $(<"$scratch/log")"
  sed -i 's|kListPath = "/every"|kListPath = "/all"|' "$app/src/limits.hpp"
  cp "$scratch/CMakeLists.txt" "$app/CMakeLists.txt"
  build

  step "its OPTIONS as well"
  mkdir "$scratch/build/config"
  echo '{"openapi": {"info": {"contact": {"name": "Ann"}}}}' >"$scratch/build/config/relative.json"
  sed -i '/CLIENT_TS/s|)$|\n  OPTIONS $<1:--no-envelope> --openapi 3.0 --server /v1 --guard-security audit=auditors --jobs 1\n\
    --description [[Say "hi" \\o/]] --app-config config/relative.json --middleware audit --default-title Notes)|' "$app/CMakeLists.txt"
  sed -i 's|app.get(kListPath, |&{.middlewares = {"audit"}}, |' "$app/src/routes/notes.cpp"
  build
  for text in '"3.0.3"' '/v1' 'auditors' 'name: Ann' 'Say \"hi\" \\o/' 'title: Notes'; do
    grep -qF -- "$text" "$document" || {
      cat "$document"
      fail "the document does not have $text"
    }
  done
  ! grep -q ' data:' "$document" || fail "the document has envelopes"
  expect_same
  for command in routes 'doctor --no-config'; do
    # shellcheck disable=SC2086
    in_app $command >"$scratch/log" 2>&1 || {
      cat "$scratch/log"
      fail "fairway $command"
    }
  done
  in_app openapi --server /v2 --guard-security audit=others --openapi 3.1 --title Mine >"$scratch/document"
  for text in '"3.1.0"' /v2 others '"Mine"'; do
    grep -qF -- "$text" "$scratch/document" || fail "the option for $text does not take precedence"
  done
  ! grep -qE '/v1|auditors' "$scratch/document" || fail "options of fairway_add_app take precedence"

  step "options stored by another version, and errors in OPTIONS, are reported"
  stored=$scratch/build/fairway/consumer/add_app.json
  cp "$stored" "$scratch/stored"
  expect_stored_error() {
    if in_app openapi >"$scratch/log" 2>&1; then fail "fairway openapi accepts $(cat "$stored")"; fi
    grep -qF -- "$1" "$scratch/log" || {
      cat "$scratch/log"
      fail "the error is not '$1'"
    }
  }
  for text in '[1]' '{"title": "Notes"}' '{"directory": 1, "arguments": []}' '{"directory": "", "arguments": [1]}'; do
    echo "$text" >"$stored"
    expect_stored_error 'not written by this version of fairway_add_app: run CMake again'
  done
  echo '{"directory": "", "arguments": ["--title"]}' >"$stored"
  expect_stored_error "the OPTIONS of fairway_add_app, stored in '$stored': --title needs a value"
  cp "$scratch/stored" "$stored"

  step "a new file is picked up, the lock of an editor is not"
  ln -s nowhere "$app/src/routes/.#added.cpp"
  cmake "$scratch/build" >/dev/null
  rm "$app/src/routes/.#added.cpp"
  sed 's|"/"|"/new"|' "$app/src/routes/archive.cpp" >"$app/src/routes/added.cpp"
  build
  grep -q '"/added/new"' "$table" || fail "the table does not have the added file"

  step "a broken file fails the build, again and again, and leaves the table alone"
  before=$(cat "$table")
  sed -i 's|app.get("/new"|app.get(std::getenv("new")|' "$app/src/routes/added.cpp"
  for log in first second; do
    if build >"$scratch/$log" 2>&1; then fail "the build of a broken route succeeds"; fi
  done
  cat "$scratch/first"
  grep -q '^\[1/.*Checking' "$scratch/second" || fail "the routes were compiled again"
  [ "$before" = "$(cat "$table")" ] || fail "the table was touched"
  # The diagnostic comes last, after a report of Ninja's that is two short lines.
  [ "$(tail -n 2 "$scratch/first" | head -n 1)" = '1 error in 1 file' ] || fail "the errors are not the last thing"
  sed -n '/^FAILED:/,/error:/p' "$scratch/first" | sed "s|$scratch||g" >"$scratch/head"
  [ "$(wc -l <"$scratch/head")" -eq 3 ] || fail "something is between Ninja's report and the diagnostic"
  grep -q 'route-path-not-static' "$scratch/head" || fail "no diagnostic"
  [ "$(head -n 2 "$scratch/head" | wc -c)" -lt 300 ] || fail "Ninja's report is long"

  step "its repair is picked up"
  sed -i 's|std::getenv("new")|"/newer"|' "$app/src/routes/added.cpp"
  build
  grep -q '"/added/newer"' "$table" || fail "the table does not have the repaired file"

  step "a type without its header is reported by the route compiler, before the file is compiled"
  sed -i 's|(fw::Request&, fw::Response& res) {|(fw::Request\& req, fw::Response\& res) { (void)req.valid<routes::added::ListAddedNewer::Query>();|' \
    "$app/src/routes/added.cpp"
  if build >"$scratch/first" 2>&1; then fail "the build of a file without its types succeeds"; fi
  cat "$scratch/first"
  grep -q 'help: include "added.routes.hpp"' "$scratch/first" || fail "the header is not named"
  if grep -q 'Building CXX' "$scratch/first"; then fail "the program was compiled"; fi
  ;;
rebuilds)
  # What a change makes a build do, with each compiler and generator that is there.
  since_mark() { # since_mark FOLDER PATTERN: names of the files written
    find "$scratch/build/$1" -name "$2" -newer "$scratch/mark" -printf '%f\n' | sort | xargs
  }
  change() { # change FILE SED-SCRIPT OBJECTS TABLES: written then, and no others
    sleep 0.1
    touch "$scratch/mark"
    sleep 0.1
    sed -i "$2" "$app/src/$1"
    build >"$scratch/log" 2>&1 || {
      cat "$scratch/log"
      fail "$pair: the build after a change of $1"
    }
    [ "$(since_mark . '*.o')" = "$3" ] || fail "$pair: for $1 it compiles $(since_mark . '*.o')"
    [ "$(since_mark fairway '*app_table.?pp')" = "$4" ] || fail "$pair: wrong table after $1"
  }
  for cxx in g++ clang++-19; do
    command -v "$cxx" >/dev/null || continue
    for generator in Ninja 'Unix Makefiles'; do
      pair="$cxx, $generator"
      rm -rf "$app" "$scratch/build"
      cp -r "$here/app" "$app"
      printf '#include <fairway/app_table.hpp>\nint main() { (void)fairway_app(); }\n' >"$app/src/main.cpp"
      configure_preprocessing "$generator" >/dev/null
      build >/dev/null
      change routes/notes.cpp 's/value_or(1)/value_or(3)/' notes.cpp.o ''
      change limits.hpp 's|kListPath = "/"|kListPath = "/all"|' 'app_table.cpp.o notes.cpp.o' app_table.cpp
      grep -q '"/notes/all"' "$scratch/build/fairway/consumer/app_table.cpp" || fail "$pair: an old table"
    done
  done
  ;;
mistakes)
  cp -r "$here/app" "$app"
  expect_error() { # expect_error TEXT LINES-OF-CMAKE [ARGUMENTS-OF-CMAKE...]
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nfind_package(Fairway CONFIG REQUIRED)\n%s\n' "$2" >"$app/CMakeLists.txt"
    if configure Ninja "${@:3}" >"$scratch/log" 2>&1; then fail "accepted: $2"; fi
    tr -s ' \n' ' ' <"$scratch/log" | grep -qF "$1" || {
      cat "$scratch/log"
      fail "nothing about: $1"
    }
  }
  expect_error 'there is no such target' 'fairway_add_app(nobody)'
  expect_error 'unknown arguments: SOURCES' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCES src)'
  expect_error 'no folder' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCE_DIR elsewhere)'
  expect_error 'no value for: SOURCE_DIR' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCE_DIR)'
  expect_error 'already has an application in' 'add_executable(p src/main.cpp)
fairway_add_app(p NAME a)
fairway_add_app(p NAME b)'
  expect_error 'RELEASED must be the document of the last release' 'add_executable(p src/main.cpp)
fairway_add_app(p)
fairway_add_diff_test(t p)'
  expect_error 'there is no file' 'add_executable(p src/main.cpp)
fairway_add_app(p)
fairway_add_diff_test(t p RELEASED released.json)'
  expect_error 'there is no such application' 'fairway_add_diff_test(t p RELEASED released.json)'
  expect_error "'/bin/echo --version' gives" '' -DFAIRWAY_COMPILER_EXECUTABLE=/bin/echo
  expect_error "'/nowhere --version' gives" '' -DFAIRWAY_COMPILER_EXECUTABLE=/nowhere
  ;;
debian)
  # Installs the packages in a root of their own, whose dpkg knows the packages of this system, so
  # that dependencies are checked; builds a project with them; removes them.
  root=$scratch/root
  make_packages
  for package in "${packages[@]}"; do
    dpkg-deb --field "$package"
    dpkg-deb --contents "$package" | awk '{ print $6 }' | grep -vE '^\./(usr/((bin|lib|share)/.*|include/fairway/.*)?)?$' |
      grep -vE '^\./usr/include/$' && fail "$package has files elsewhere"
    name=$(dpkg-deb --field "$package" Package)
    dpkg-deb --fsys-tarfile "$package" | tar -xO "./usr/share/doc/$name/copyright" >"$scratch/copyright"
    grep -q '^Copyright: .*The Fairway authors$' "$scratch/copyright" &&
      grep -q '^ Permission is hereby granted, free of charge' "$scratch/copyright" || fail "no licence in $package"
  done
  [ "$(id -u)" -eq 0 ] || {
    echo "passed: $case (not installed: only root can use dpkg --root)"
    exit 0
  }

  mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
  # Packages without their lists of files: this root has none of them.
  cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
  cp /var/lib/dpkg/arch "$root/var/lib/dpkg/" 2>/dev/null || true
  in_root() {
    local status=0
    dpkg --root="$root" --log=/dev/null "$@" >"$scratch/all" 2>&1 || status=$?
    grep -v 'files list file' "$scratch/all" >"$scratch/log" || true
    return "$status"
  }
  files() { find "$root" -path "$root/var" -prune -o -type f -print -o -type l -print | sort; }
  step "a missing dependency is an error"
  sed -i '/^Package: libsimdjson-dev$/,/^$/d' "$root/var/lib/dpkg/status"
  if in_root --install "${packages[@]}"; then fail "installed without libsimdjson-dev"; fi
  grep -q 'libfairway-dev depends on libsimdjson-dev' "$scratch/log" || {
    cat "$scratch/log"
    fail "no dependency"
  }
  in_root --purge libfairway-dev fairway || {
    cat "$scratch/log"
    fail "purge"
  }
  cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
  step "install"
  in_root --install "${packages[@]}" || {
    cat "$scratch/log"
    fail "install"
  }
  fairway=$root/usr/bin/fairway
  prefix=$root/usr
  "$fairway" --version
  for file in share/man/man1/fairway.1 share/man/man1/fairway-doctor.1 share/bash-completion/completions/fairway share/zsh/site-functions/_fairway \
    share/fish/vendor_completions.d/fairway.fish; do
    [ -s "$prefix/$file" ] || fail "no $file"
  done

  step "a project with CMake"
  cp -r "$here/app" "$app"
  configure Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=
  build
  run
  step "a program with pkg-config"
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  [ "$(pkg-config --variable=fairway fairway | xargs realpath)" = "$fairway" ] || fail "pkg-config: another fairway"
  printf '#include <fairway/fairway.hpp>\nint main() { fw::App app; }\n' >"$scratch/plain.cpp"
  # shellcheck disable=SC2046,SC2086
  "$cxx" -std=c++20 $flags "$scratch/plain.cpp" -o "$scratch/plain" $(pkg-config --cflags --libs fairway)
  "$scratch/plain"

  step "remove"
  in_root --purge libfairway-dev fairway || {
    cat "$scratch/log"
    fail "purge"
  }
  [ -z "$(files)" ] || {
    files
    fail "files remain"
  }
  [ ! -e "$root/usr" ] || fail "folders remain: $(find "$root/usr")"
  ;;
debian-root)
  # For tools/nightly.sh, as root. On a system that has nothing but the base of Debian: installs the packages
  # with apt, follows the tutorial, and removes them.
  root=$scratch/root
  make_packages
  step "debootstrap"
  # shellcheck disable=SC1091
  debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >"$scratch/log" 2>&1 ||
    {
      tail "$scratch/log"
      fail "debootstrap"
    }
  sources=/etc/apt/sources.list.d/debian.sources # with the updates
  if [ -e $sources ]; then
    cp $sources "$root$sources"
    rm -f "$root/etc/apt/sources.list"
  fi
  mkdir "$root/packages" "$root/sources" "$root/home/reader"
  cp "${packages[@]}" "$root/packages"
  in_root() { # in_root COMMAND...: the mounts end with it
    unshare --mount --propagation private bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
        mount --bind "$1" "$0/sources" && shift && exec chroot "$0" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin \
        HOME=/home/reader LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$source" "$@"
  }
  quietly() { "$@" >"$scratch/log" 2>&1 || {
    tail -n 30 "$scratch/log"
    fail "$*"
  }; }
  # All that has to do with Fairway, without what the reader makes.
  traces() { find "$root" \( -path "$root/packages" -o -path "$root/home" -o -path "$root/tmp" \) -prune -o -iname '*fairway*' -print; }
  quietly in_root apt-get update
  step "install"
  quietly in_root bash -c 'apt-get install -y /packages/*.deb'
  in_root fairway --version
  in_root dpkg -L fairway libfairway-dev | grep . | sort -u >"$scratch/files"
  quietly in_root apt-get install -y --no-install-recommends curl nodejs # node runs the commands of the page
  step "follow the tutorial"
  in_root node /sources/tests/docs/commands.mjs /usr c++ "" /sources/docs/tutorial.md
  step "remove"
  quietly in_root apt-get purge -y fairway libfairway-dev
  [ -z "$(traces)" ] || {
    traces
    fail "files remain"
  }
  quietly in_root apt-get autoremove -y --purge
  left=()
  while read -r file; do
    [ ! -e "$root$file" ] || left+=("$file")
  done <"$scratch/files"
  quietly in_root dpkg -S "${left[@]}" # folders of other packages
  ;;
*) fail "unknown case '$case'" ;;
esac
echo "passed: $case"
