#!/usr/bin/env bash
# Results that runs keep for later runs: where, for how long, and that they do not change the output.
# Usage: cache.sh FAIRWAY INCLUDE_DIR
fairway=$1 include=$2
source "$(dirname "$0")/checks.sh"

mkdir -p src/routes src/shared

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
# A result that is written again gets a new inode.
results() { find "$1" -name '*.result' -printf '%i %f\n' | sort; }

begin "cache: one build fills the cache, and the next one uses it and writes nothing"
build
output out >first
check_equal "one result per file" 2 "$(results out/cache | wc -l)"
check_equal "precompiled headers" 1 "$(find out/cache -name '*.pch' | wc -l)"
results out/cache >before
touch marker
build
check_empty "files written for an unchanged tree" "$(find out -newer marker -type f)"

begin "cache: the depfile and the file of errors are written without a parse, and removed outputs are restored"
build --depfile deps --errors errors
check "headers of the framework are in the depfile" grep "$include/fairway/router.hpp" deps
check "headers of the tree are in the depfile" grep "$scratch/src/shared/path.hpp" deps
check_not "the cache is in the depfile" grep 'out/cache/' deps
cp deps deps.first
rm deps errors
build --depfile deps --errors errors
check "the file of errors exists" test -e errors
check_empty "errors of a tree that has none" "$(cat errors)"
check "the depfile is the same" diff deps.first deps
rm out/openapi.json
echo "// edited" >>out/app_table.cpp
build --depfile deps --errors errors
output out | check "damaged outputs are restored" diff first -

begin "cache: a file in config/ decides whether the program contains the viewer of the document"
mkdir config
layer=config/development.json
for enabled in true false true; do
  echo "{\"openapi\": {\"enabled\": $enabled}}" >$layer
  build --depfile deps
  check "the layer is in the depfile" grep -F "$scratch/$layer" deps
  if $enabled; then has out/app_table.cpp kDocsViewer; else lacks out/app_table.cpp kDocsViewer; fi
done
echo '{"openapi": {"enabled": ' >$layer
check "a layer that is not valid, which the start of the program reports" build
lacks out/app_table.cpp kDocsViewer
rm -r config
check "the flag adds it" build --docs-viewer
has out/app_table.cpp 'docs_viewer = &fw::detail::kDocsViewer'
build
output out | check "without both, the output is the first one" diff first -

begin "cache: a build after the first one uses its results, although the folders of headers are new"
# As fairway_add_app: the folders of generated headers are searched before they exist.
mkdir -p typed/routes/admin
for file in routes/users routes/admin/users; do
  cat >typed/$file.cpp <<END
#include <fairway/fairway.hpp>
#include "${file#routes/}.routes.hpp"
struct Named${file//\//_} { int id; };
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", [](fw::Request&) -> Named${file//\//_} { return {1}; });
});
END
done
typed() {
  "$fairway" build --source-dir typed --out-dir new -- \
    -std=c++20 -I"$scratch/new/include" -I"$scratch/new/include/fairway/routes" -I"$include"
}
typed
results new/cache >before
sed -i 's|return {1}|return {2}|' typed/routes/users.cpp
typed
results new/cache >after
check_equal "results of the first build that are kept" 1 "$(grep -cxFf before after || true)"

begin "cache: another command line or another tree is another build"
build --title Other
has out/openapi.json '"Other"'
cp -r src other
sed -i 's|"/a"|"/other"|' other/shared/path.hpp
build --source-dir other
has out/routes.manifest.json '"/users/other"'
build

begin "cache: the output does not depend on the number of jobs or on the cache"
for options in '--jobs 1 --cache-dir one' '--jobs 8 --cache-dir eight' '--no-cache'; do
  rm -rf out
  # shellcheck disable=SC2086
  build $options
  output out | check "output with $options" diff first -
  kept=$(ls out/cache 2>/dev/null) || true
  expected=
  [ "$options" != --no-cache ] || expected=headers
  check_equal "content of out/cache with $options" "$expected" "$kept"
done
check "--cache-dir one is used" test -d one
check "--cache-dir eight is used" test -d eight
check_not "build has used the cache of the user" test -e "$scratch/xdg"

begin "cache: a changed header gives new results for the files that include it"
build
results out/cache >before
sed -i 's|"/a"|"/b"|' src/shared/path.hpp
build
has out/routes.manifest.json '"/users/b"'
results out/cache >after
check_not "results of the old header were kept" grep -xFf before after

begin "cache: a corrupted cache is replaced, and a file instead of the directory ignored"
output out >first
find out/cache -type f -exec truncate -s 100 {} +
build
output out | check "the output is the same" diff first -
results out/cache >before
build
results out/cache | check "the cache was replaced once" diff before -
touch file
check "the cache directory is a file" build --cache-dir file
check "the cache directory is below a file" build --cache-dir file/below

begin "cache: files that a build no longer writes are removed, and no others"
build --client-name log --name first
touch out/client/notes.txt
build --client-name shop --name second
for path in client/shop_client.hpp client/shop.ts include/fairway/second/app_table.hpp client/notes.txt; do
  check "$path exists" test -e "out/$path"
done
for path in client/log_client.hpp client/log.ts include/fairway/first; do
  check_not "$path is left over from an earlier build" test -e "out/$path"
done
rm out/client/notes.txt
build

begin "cache: commands without an output directory use the cache of the user, if there is one"
routes() { "$fairway" routes --format json -- -std=c++20 -I"$include"; }
routes >first.json
check "XDG_CACHE_HOME is used" test -n "$(results "$XDG_CACHE_HOME/fairway")"
routes | check "the result from the cache is the same" diff first.json -
HOME=$scratch/home XDG_CACHE_HOME=$scratch/file routes | check "the result with HOME is the same" diff first.json -
check "HOME is used" test -n "$(results "$scratch/home/.cache/fairway")"
HOME=$scratch/file XDG_CACHE_HOME=relative routes | check "the result without a cache is the same" diff first.json -
check_not "a relative XDG_CACHE_HOME was used" test -e relative

begin "cache: include directories from the environment are part of the key"
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
  CPLUS_INCLUDE_PATH=$scratch/$folder routes | check "the routes of $folder" grep "/$number\""
done
rm src/routes/environment.cpp

begin "cache: errors are reported again from the cache"
sed -i 's|kPath,|std::string("/") + kPath,|' src/routes/users.cpp
for run in 1 2; do
  check_status "run $run of doctor" 1 "$fairway" doctor --color never -- -std=c++20 -I"$include"
  mv stderr "errors$run"
done
has errors1 route-path-not-static
check "the report from the cache is the same" diff errors1 errors2
