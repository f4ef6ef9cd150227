#!/usr/bin/env bash
# Source trees as file systems have them: links, generated folders, names with blanks. Every file
# is read or named in an error. Usage: check.sh FAIRWAY INCLUDE_DIR
source "$(dirname "$0")/../../support/cases.sh"
fairway=$1 include=$2

scratch=$(mktemp -d)
trap 'chmod -R u+rwx "$scratch"; rm -rf "$scratch"' EXIT
mkdir -p "$scratch/build/generated/src/routes/api" "$scratch/elsewhere/deep"
cd "$scratch"
cat >elsewhere/items.cpp <<'ROUTES'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/list", [](fw::Request&, fw::Response& res) { res.text("items"); });
});
ROUTES
cp elsewhere/items.cpp elsewhere/deep/inner.cpp
src=build/generated/src

expect_paths() { # expect_paths PATH...
  "$fairway" routes --source-dir "$src" --format json -- -std=c++20 -I"$include" >out
  node -e 'const [file, ...expected] = process.argv.slice(1);
    const found = JSON.parse(require("fs").readFileSync(file)).routes.map((r) => r.path);
    if (found.sort().join() !== expected.sort().join()) { console.error(found); process.exit(1); }' \
    out "$@" || fail "not the routes $*"
}
expect_error() { # expect_error TEXT
  local status=0
  timeout 600 "$fairway" routes --source-dir "$src" -- -std=c++20 -I"$include" >out 2>log || status=$?
  cat log
  [ "$status" -eq 2 ] || fail "$1: exit status $status"
  grep -qF -- "$1" log || fail "nothing about: $1"
}

begin "links: a file and a folder, one of them twice, in a folder that a build has made"
cp elsewhere/items.cpp "$src/routes/own.cpp"
ln -s ../../../../elsewhere/items.cpp "$src/routes/linked.cpp"
ln -s ../../../../elsewhere/deep "$src/routes/folder"
ln -s ../../../../../elsewhere/deep "$src/routes/api/again"
expect_paths /own/list /linked/list /folder/inner/list /api/again/inner/list

begin "names: a folder that is called like a source, and a link to nothing"
mkdir "$src/routes/folder.cpp"
ln -s nowhere "$src/routes/notes"
expect_paths /own/list /linked/list /folder/inner/list /api/again/inner/list

ln -s .. "$src/routes/api/up"
expect_error "api/up' is a symbolic link to a directory that contains it"
rm "$src/routes/api/up"
ln -s ../../build/generated/src/routes/folder elsewhere/deep/round
expect_error "is a symbolic link to a directory that contains it"
rm elsewhere/deep/round

ln -s nowhere.cpp "$src/routes/dead.cpp"
expect_error "dead.cpp' is a dangling symbolic link"
rm "$src/routes/dead.cpp"
ln -s self.cpp "$src/routes/self.cpp"
expect_error "self.cpp' is a dangling symbolic link"
rm "$src/routes/self.cpp"

begin "names: a file with spaces"
cp elsewhere/items.cpp "$src/routes/two words.cpp"
status=0
"$fairway" doctor --source-dir "$src" -- -std=c++20 -I"$include" >out 2>log || status=$?
[ "$status" -eq 1 ] || fail "blanks: exit status $status"
grep -q "two words.cpp:2:.*\[bad-route-path\]" log || {
  cat log
  fail "blanks are not reported"
}
echo "passed"
