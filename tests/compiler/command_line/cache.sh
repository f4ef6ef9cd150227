#!/usr/bin/env bash
# What runs keep for each other: where, for how long, and that it does not change results.
# Usage: cache.sh FAIRWAY INCLUDE_DIR
set -euo pipefail
fairway=$1 include=$2

fail() { echo "FAILED: $*" >&2; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir -p src/routes src/shared
export XDG_CACHE_HOME=$scratch/xdg

cat >src/shared/path.hpp <<'END'
inline constexpr const char* kPath = "/a";
END
for file in users orders; do
  cat >src/routes/$file.cpp <<'END'
#include <fairway/fairway.hpp>
#include "../shared/path.hpp"
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(kPath, [](fw::Request&, fw::Response& res) { res.json("hello"); });
});
END
done
build() { "$fairway" build --out-dir out "$@" -- -std=c++20 -I"$include"; }
# Everything but the cache, with contents.
output() { (cd "$1" && find . -type f -not -path './cache/*' -exec sha256sum {} + | sort -k2); }
# A result that is made again gets a new inode.
results() { find "$1" -name '*.result' -printf '%i %f\n' | sort; }

# One build fills the cache, the next one uses it and writes nothing.
build
output out >first
[ "$(results out/cache | wc -l)" -eq 2 ] || fail "not one result a file"
[ "$(find out/cache -name '*.pch' | wc -l)" -eq 1 ] || fail "not one precompiled header"
results out/cache >before
touch marker
build
[ -z "$(find out -newer marker -type f)" ] || fail "an unchanged tree wrote something"

# A build system still gets its file of errors and its depfile, and what was taken away comes back.
build --depfile deps --errors errors
grep -q "$include/fairway/router.hpp" deps || fail "the depfile misses headers of the framework"
grep -q "$scratch/src/shared/path.hpp" deps || fail "the depfile misses a header of the tree"
! grep -q 'out/cache/' deps || fail "the depfile names the cache"
cp deps deps.first
rm deps errors
build --depfile deps --errors errors
[ -e errors ] || fail "no file of errors"
[ ! -s errors ] || fail "errors of a tree that has none"
diff deps.first deps || fail "another depfile"
rm out/openapi.json
echo "// edited" >>out/app_table.cpp
build --depfile deps --errors errors
output out | diff first - || fail "damaged output was not written again"
build --title Other
grep -q '"Other"' out/openapi.json || fail "another command line was not obeyed"
cp -r src other
sed -i 's|"/a"|"/other"|' other/shared/path.hpp
build --source-dir other
grep -q '"/users/other"' out/routes.manifest.json || fail "another tree was not read"
build

# Any number of jobs, and no results of earlier runs, give the same output.
for options in '--jobs 1 --cache-dir one' '--jobs 8 --cache-dir eight' '--no-cache'; do
  rm -rf out
  # shellcheck disable=SC2086
  build $options
  output out | diff first - || fail "other output with $options"
  kept=$(ls out/cache 2>/dev/null) || true
  expected=
  [ "$options" != --no-cache ] || expected=headers
  [ "$kept" = "$expected" ] || fail "$options: the output directory keeps '$kept'"
done
[ -d one ] && [ -d eight ] || fail "--cache-dir is not used"
[ ! -e "$scratch/xdg" ] || fail "build has used the cache of the user"

# A changed header gives new results for the files that include it.
build
results out/cache >before
sed -i 's|"/a"|"/b"|' src/shared/path.hpp
build
grep -q '"/users/b"' out/routes.manifest.json || fail "a changed header was not seen"
! results out/cache | grep -qxFf before || fail "results of an old header were kept"

# A damaged cache is repaired, a foreign one ignored.
output out >first
find out/cache -type f -exec truncate -s 100 {} +
build
output out | diff first - || fail "other output after damage to the cache"
results out/cache >before
build
results out/cache | diff before - || fail "a damaged cache was not repaired"
touch file
build --cache-dir file
build --cache-dir file/below

# What a build no longer writes is removed, and nothing else.
build --client-name log --name first
touch out/client/notes.txt
build --client-name shop --name second
for path in client/shop_client.hpp client/shop.ts include/fairway/second/app_table.hpp client/notes.txt; do
  [ -e "out/$path" ] || fail "there is no $path"
done
for path in client/log_client.hpp client/log.ts include/fairway/first; do
  [ ! -e "out/$path" ] || fail "$path is left of an earlier build"
done
rm out/client/notes.txt
build

# Commands without an output directory use the cache of the user, if there can be one.
routes() { "$fairway" routes --format json -- -std=c++20 -I"$include"; }
routes >first.json
[ -n "$(results "$XDG_CACHE_HOME/fairway")" ] || fail "XDG_CACHE_HOME is not used"
routes | diff first.json - || fail "another result from the cache"
HOME=$scratch/home XDG_CACHE_HOME=$scratch/file routes | diff first.json - || fail "no result"
[ -n "$(results "$scratch/home/.cache/fairway")" ] || fail "HOME is not used"
HOME=$scratch/file XDG_CACHE_HOME=relative routes | diff first.json - || fail "no result"
[ ! -e relative ] || fail "a relative XDG_CACHE_HOME was used"

# What the environment adds to the headers that Clang finds belongs to the key.
mkdir inc1 inc2
echo '#define ENVIRONMENT_PATH "/one"' >inc1/environment_path.hpp
echo '#define ENVIRONMENT_PATH "/two"' >inc2/environment_path.hpp
cat >src/routes/environment.cpp <<'EOF'
#include <fairway/fairway.hpp>
#include <environment_path.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(ENVIRONMENT_PATH, [](fw::Request&, fw::Response& res) { res.json(1); });
});
EOF
for number in one two; do
  folder=$([ "$number" = one ] && echo inc1 || echo inc2)
  CPLUS_INCLUDE_PATH=$scratch/$folder routes | grep -q "/$number\"" || fail "not the routes of $folder"
done
rm src/routes/environment.cpp

# Errors are told again, not only the first time.
sed -i 's|kPath,|std::string("/") + kPath,|' src/routes/users.cpp
for run in 1 2; do
  status=0
  "$fairway" doctor --color never -- -std=c++20 -I"$include" >/dev/null 2>"errors$run" || status=$?
  [ "$status" -eq 1 ] || fail "run $run: exit status $status"
done
grep -q 'route-path-not-static' errors1 || fail "no error"
diff errors1 errors2 || fail "another report from the cache"
