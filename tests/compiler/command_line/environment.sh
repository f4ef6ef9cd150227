#!/usr/bin/env bash
# Errors of the environment: each ends with exit status 2, a message that names the thing, and a
# remedy; what was written before stays whole, and nothing else is left behind.
# Usage: environment.sh FAIRWAY INCLUDE_DIR
set -euo pipefail
fairway=$1 include=$2

fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "SKIPPED: $*"; }

scratch=$(mktemp -d)
mounts=()
cleanup() {
  for mount in "${mounts[@]}"; do umount "$mount"; done
  rm -rf "$scratch"
}
trap cleanup EXIT
chmod 755 "$scratch"
cd "$scratch"
export XDG_CACHE_HOME=$scratch/xdg

mkdir -p src/routes
cat >src/routes/users.cpp <<'EOF'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/a", [](fw::Request&, fw::Response& res) { res.json("hello"); });
});
EOF
flags=(-- -std=c++20 -I"$include")
# expect_error TEXT... -- COMMAND...: exit status 2 and one message with all the texts.
expect_error() {
  local texts=() status=0
  while [ "$1" != -- ]; do texts+=("$1"); shift; done
  shift
  "$@" >stdout 2>stderr || status=$?
  [ "$status" -eq 2 ] || { cat stdout stderr; fail "exit status $status of: $*"; }
  for text in "${texts[@]}"; do
    grep -qF -- "$text" stderr || { cat stderr; fail "no word of '$text' from: $*"; }
  done
  [ "$(wc -l <stderr)" -eq 1 ] || { cat stderr; fail "not one line from: $*"; }
}

# The compiler's own headers.
expect_error "no compiler headers in '/nowhere/include'" 'install the headers of Clang' \
  -- env FAIRWAY_RESOURCE_DIR=/nowhere "$fairway" doctor "${flags[@]}"
mkdir -p lib/clang/3/include
touch lib/clang/3/include/stddef.h
expect_error "belong to Clang 3, this program to Clang" 'FAIRWAY_RESOURCE_DIR' \
  -- env FAIRWAY_RESOURCE_DIR=lib/clang/3/ "$fairway" doctor "${flags[@]}"

# Compilation databases.
expect_error "no usable compile_commands.json in 'build'" CMAKE_EXPORT_COMPILE_COMMANDS ' -p' \
  -- "$fairway" doctor -p build
# Without any, the framework's own headers serve, and a note on standard error says so, once.
"$fairway" routes --format json >stdout 2>stderr || { cat stderr; fail "routes without a database"; }
grep -q '"path": "/users/a"' stdout || fail "no routes without a database"
[ "$(wc -l <stderr)" -eq 1 ] || fail "not one note"
grep -q "^fairway: note: no compile_commands.json in or above the source directory: files are parsed as C++20" stderr ||
  fail "no note of the flags"
"$fairway" doctor --fix >stdout 2>stderr || true
[ "$(grep -c 'fairway: note:' stderr)" -eq 1 ] || fail "not one note from doctor --fix"
"$fairway" routes "${flags[@]}" 2>stderr >stdout
[ ! -s stderr ] || fail "a note where the flags are given"
expect_error "in 'elsewhere'" -- "$fairway" doctor -p elsewhere
mkdir build
echo 'no json' >build/compile_commands.json
expect_error "in '$scratch/build'" -- "$fairway" doctor
rm -r build
# The search begins in the source directory and goes up; in each directory, build/ and build/dev/ are next.
mkdir else found
cp -r src found/src
sed -i 's|"/a"|"/" FOUND_IN|' found/src/routes/users.cpp
while read -r folder name; do
  mkdir -p "$folder"
  cat >"$folder/compile_commands.json" <<EOF
[{"directory": "$scratch", "file": "found/src/main.cpp",
  "arguments": ["c++", "-std=c++20", "-I$include", "-DFOUND_IN=\"$name\"", "-c", "found/src/main.cpp"]}]
EOF
  (cd else && "$fairway" routes --format json --source-dir ../found/src) >stdout 2>stderr ||
    { cat stderr; fail "the database in $folder is not found"; }
  grep -q "\"path\": \"/users/$name\"" stdout || { cat stdout; fail "another database than that in $folder is used"; }
done <<'EOF'
build/dev above-dev
build above-build
. above
found/build/dev dev
found/build build
found project
found/src sources
EOF
rm -r build else found compile_commands.json

# Sources.
expect_error "source directory 'none' does not exist" --source-dir -- "$fairway" doctor --source-dir none "${flags[@]}"
expect_error "has no directory 'routes'" --source-dir -- "$fairway" doctor --source-dir lib "${flags[@]}"
ln -s nothing src/routes/gone.cpp
expect_error 'gone.cpp' 'a dangling symbolic link' -- "$fairway" doctor "${flags[@]}"
rm src/routes/gone.cpp
mkfifo src/routes/pipe.cpp
expect_error 'pipe.cpp' 'cannot read' -- "$fairway" doctor "${flags[@]}"
rm src/routes/pipe.cpp

build() { "$fairway" build "$@" "${flags[@]}"; }
content() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k2); }

# Something in the way of the output.
touch file
expect_error "cannot write 'file/" 'not a directory' -- build --no-cache --out-dir file
mkdir -p blocked/app_table.cpp/folder
expect_error "cannot write 'blocked/app_table.cpp'" 'it is a directory' \
  -- build --no-cache --out-dir blocked
[ -z "$(find blocked -name '*.tmp')" ] || fail "a temporary file is left"

# A device is written to, and stays a device.
build --no-cache --out-dir out
"$fairway" openapi -o /dev/null "${flags[@]}"
[ -c /dev/null ] || fail "/dev/null is a file now"
if [ -c /dev/full ]; then
  expect_error "'/dev/full'" 'No space left' 'free space' \
    -- "$fairway" openapi -o /dev/full "${flags[@]}"
  expect_error 'standard output' 'free space' \
    -- bash -c '"$0" "$@" >/dev/full' "$fairway" openapi "${flags[@]}"
else
  skip "no /dev/full"
fi

# A link stays a link, permissions stay.
cp -r out linked
mv linked/openapi.json elsewhere.json
ln -s ../elsewhere.json linked/openapi.json
echo edited >elsewhere.json
chmod 600 elsewhere.json
build --no-cache --out-dir linked
[ -L linked/openapi.json ] || fail "a link was replaced"
cmp out/openapi.json elsewhere.json
[ "$(stat -c %a elsewhere.json)" = 600 ] || fail "other permissions"

# Killed while it writes (past the allowed size of a file): the former files are whole.
cp -r out killed
content killed >before
sed -i 's|"/a"|"/b"|' src/routes/users.cpp
status=0
(ulimit -c 0; ulimit -f 1; build --no-cache --out-dir killed >/dev/null 2>&1) || status=$?
[ "$status" -gt 128 ] || fail "exit status $status of a build that was to be killed"
cut -d' ' -f3 before | while read -r name; do
  cmp -s "killed/$name" "out/$name" || grep -q '"/b"' "killed/$name" || grep -q '/users/b' "killed/$name" ||
    fail "killed/$name is neither the old file nor the new one"
done
[ -z "$(find killed -name '*.tmp')" ] || fail "a temporary file is left of a killed build"
cmp killed/app_table.cpp out/app_table.cpp || fail "a part of a table was written"

# A full disk.
mkdir full
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=256k tmpfs full 2>/dev/null; then
  mounts+=("$scratch/full")
  rm -rf out/cache
  cp -r out full/out
  content full/out >before
  dd if=/dev/zero of=full/ballast bs=1k count=256 2>/dev/null || true
  expect_error "cannot write 'full/out/" 'No space left' 'free space' \
    -- build --no-cache --out-dir full/out
  content full/out | diff before - || fail "a file is not the former one"
  build --cache-dir full/cache --out-dir beside || fail "a full cache makes a build fail"
else
  skip "no tmpfs can be mounted: no full disk"
fi

# Without permission. A super-user has it everywhere: somebody else has to try.
as_nobody=()
if [ "$(id -u)" -eq 0 ]; then
  as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
if "${as_nobody[@]}" test -x "$fairway" 2>/dev/null && "${as_nobody[@]}" test -r "$include/fairway/fairway.hpp"; then
  mkdir shut own open src/routes/secret
  chmod 777 open
  chmod 755 own shut
  content out >before
  if [ "$(id -u)" -ne 0 ]; then chmod 500 shut; fi
  nobody() { HOME=/nonexistent "${as_nobody[@]}" "$fairway" "$@" "${flags[@]}"; }
  expect_error "cannot write 'shut/" 'Permission denied' writable \
    -- nobody build --no-cache --out-dir shut/out
  nobody build --cache-dir shut/cache --out-dir open/out || fail "a shut cache makes a build fail"
  chmod 000 src/routes/secret
  expect_error "src/routes/secret'" 'Permission denied' 'make it readable' -- nobody doctor --no-cache
  # Everything that is in the way is told, in one order.
  ln -s nothing src/routes/gone.cpp
  mkdir src/routes/another && chmod 000 src/routes/another
  status=0
  nobody doctor --no-cache >stdout 2>stderr || status=$?
  [ "$status" -eq 2 ] || fail "exit status $status of an unreadable tree"
  sed -E "s/^fairway: [^']*'([^']*)'.*/\\1/" stderr | sed 's|.*/src/||' | tr '\n' ' ' >told
  [ "$(cat told)" = 'routes/gone.cpp routes/another routes/secret ' ] || { cat stderr; fail "not told in order"; }
  rm src/routes/gone.cpp
  rmdir src/routes/secret src/routes/another
  for name in d c b a; do cp src/routes/users.cpp "src/routes/$name.cpp" && chmod 000 "src/routes/$name.cpp"; done
  status=0
  nobody doctor --no-cache --jobs 4 >stdout 2>stderr || status=$?
  [ "$status" -eq 2 ] || fail "exit status $status of unreadable files"
  [ "$(grep -o '[abcd]\.cpp' stderr | tr '\n' ' ')" = 'a.cpp b.cpp c.cpp d.cpp ' ] ||
    { cat stderr; fail "not every unreadable file is told, in order"; }
  rm -f src/routes/[abcd].cpp
  cp src/routes/users.cpp src/routes/shut.cpp
  chmod 000 src/routes/shut.cpp
  expect_error "routes/shut.cpp'" 'Permission denied' 'make it readable' -- nobody doctor --no-cache
else
  skip "nobody cannot run the compiler: no missing permissions"
fi
