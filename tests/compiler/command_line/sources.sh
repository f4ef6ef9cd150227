#!/usr/bin/env bash
# Where sources and their flags come from: links, generated folders, compilation databases.
# Usage: sources.sh FAIRWAY INCLUDE_DIR
set -euo pipefail
fairway=$1 include=$2

fail() { echo "FAILED: $*" >&2; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export XDG_CACHE_HOME=$scratch/xdg

route_file() {  # route_file PATH
  mkdir -p "$(dirname "$1")"
  cat >"$1" <<'END_OF_FILE'
#include <fairway/fairway.hpp>
#include "shared.hpp"
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(kPath, [](fw::Request&, fw::Response& res) { res.json("hello"); });
});
END_OF_FILE
}
paths() { "$fairway" routes --format json "$@" | sed -n 's/.*"path": "\(.*\)".*/\1/p' | tr '\n' ' '; }
expect_paths() {  # expect_paths PATHS ARGUMENTS...
  local found
  found=$(paths "${@:2}") || fail "no table with: ${*:2}"
  [ "$found" = "$1 " ] || fail "'$found' instead of '$1' with: ${*:2}"
}

mkdir include
echo 'inline constexpr const char* kPath = "/x";' >include/shared.hpp
route_file src/routes/users.cpp
flags=(-- -std=c++20 -I"$include" -Iinclude)

# A linked file and a linked folder stand where the link stands.
route_file modules/real.cpp
route_file modules/v2/orders.cpp
ln -s ../../modules/real.cpp src/routes/linked.cpp
ln -s ../../modules/v2 src/routes/v2
expect_paths '/linked/x /users/x /v2/orders/x' "${flags[@]}"
ln -s src alias
expect_paths '/linked/x /users/x /v2/orders/x' --source-dir alias "${flags[@]}"
ln -s . modules/v2/round
status=0
"$fairway" routes "${flags[@]}" >/dev/null 2>stderr || status=$?
[ "$status" -eq 2 ] || fail "exit status $status for links that go round"
grep -q "round' is a symbolic link to a directory that contains it" stderr || fail "no word of the link"
rm -r src/routes/v2 src/routes/linked.cpp modules/v2/round

# Names that begin with a dot belong to editors and file systems: locks, backups, resource forks.
ln -s 'somebody@machine.1234:5678' 'src/routes/.#users.cpp'
echo 'no C++' >src/routes/._users.cpp
mkdir src/routes/.cache && cp src/routes/._users.cpp src/routes/.cache/copy.cpp
expect_paths '/users/x' "${flags[@]}"
rm -r 'src/routes/.#users.cpp' src/routes/._users.cpp src/routes/.cache

# Other endings of C++ sources below routes/ get a warning, also after a run whose result is known.
doctor_says() {  # doctor_says TEXT
  "$fairway" doctor --no-config "${flags[@]}" >log 2>&1 || { cat log; fail "doctor fails"; }
  grep -qF -- "$1" log || { cat log; fail "no word of: $1"; }
}
doctor_says 'warning'
for ending in cc cxx C c++; do cp src/routes/users.cpp "src/routes/more.$ending"; done
touch src/routes/notes.hpp
for ending in cc cxx C c++; do
  doctor_says "src/routes/more.$ending: warning: a '.$ending' file below routes/ is ignored [ignored-route-file]"
done
rm src/routes/more.*

# Diagnostics never mix with the product on standard output.
sed -i 's/FW_EXPORT_DEFAULT/auto routes_/' src/routes/users.cpp
for command in openapi routes 'client cpp' 'build --out-dir out'; do
  read -ra words <<<"$command"
  for format in text json sarif github; do
    status=0
    "$fairway" "${words[@]}" --diagnostics-format "$format" "${flags[@]}" >stdout 2>stderr || status=$?
    [ "$status" -eq 1 ] || fail "exit status $status of: $command --diagnostics-format $format"
    [ ! -s stdout ] || fail "diagnostics on standard output of: $command --diagnostics-format $format"
    grep -q no-default-export stderr || fail "no diagnostics of: $command --diagnostics-format $format"
  done
done
sed -i 's/auto routes_/FW_EXPORT_DEFAULT/' src/routes/users.cpp

# A database with a relative folder, a response file and flags of GCC's alone serves files that it
# does not name, generated ones among them.
mkdir build
printf -- '-std=c++20 "-I%s" -Iinclude' "$include" >flags.rsp
cat >build/compile_commands.json <<END_OF_FILE
[{"directory": "$scratch", "file": "src/main.cpp", "command":
  "ccache g++ @flags.rsp -fconcepts-diagnostics-depth=3 -fno-semantic-interposition -Wno-restrict -o m.o -c src/main.cpp"}]
END_OF_FILE
expect_paths '/users/x'
expect_paths '/users/x' -p build
route_file build/generated/src/routes/made.cpp
expect_paths '/made/x' --source-dir build/generated/src
(cd build/generated && expect_paths '/made/x')
