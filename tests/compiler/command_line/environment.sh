#!/usr/bin/env bash
# Errors of the environment: each ends with exit status 2, a message that names the thing, and a
# remedy; existing files stay complete, and no temporary files are left.
# Usage: environment.sh FAIRWAY INCLUDE_DIR
fairway=$1 include=$2
source "$(dirname "$0")/checks.sh"

mounts=()
clean_up() {
  for mount in "${mounts[@]}"; do umount "$mount"; done
  rm -rf "$scratch"
}
chmod 755 "$scratch"

mkdir -p src/routes
cat >src/routes/users.cpp <<'EOF'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/a", [](fw::Request&, fw::Response& res) { res.json("hello"); });
});
EOF
flags=(-- -std=c++20 -I"$include")
# One cache of precompiled headers for all builds, outside their output directories.
build() { "$fairway" build --no-cache --cache-dir "$scratch/headers" "$@" "${flags[@]}"; }
content() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k2); }

# expect_error TEXT... -- COMMAND...: exit status 2, and one message that contains all the texts.
expect_error() {
  local texts=()
  while [ "$1" != -- ]; do
    texts+=("$1")
    shift
  done
  shift
  check_status "error '${texts[0]}'" 2 "$@"
  has stderr "${texts[@]}"
  check_equal "number of messages" 1 "$(wc -l <stderr)"
}

begin "missing headers of Clang"
expect_error "no compiler headers in '/nowhere/include'" 'install the headers of Clang' \
  -- env FAIRWAY_RESOURCE_DIR=/nowhere "$fairway" doctor "${flags[@]}"

begin "headers of another version of Clang"
mkdir -p lib/clang/3/include
touch lib/clang/3/include/stddef.h
expect_error "belong to Clang 3, this program to Clang" 'FAIRWAY_RESOURCE_DIR' \
  -- env FAIRWAY_RESOURCE_DIR=lib/clang/3/ "$fairway" doctor "${flags[@]}"

begin "no compilation database in the given directory"
expect_error "no usable compile_commands.json in 'build'" CMAKE_EXPORT_COMPILE_COMMANDS ' -p' \
  -- "$fairway" doctor -p build
expect_error "in 'elsewhere'" -- "$fairway" doctor -p elsewhere

begin "without a compilation database, the framework's own headers are used, with one note"
check_status 'routes without a database' 0 "$fairway" routes --format json
has stdout '"path": "/users/a"'
has stderr 'fairway: note: no compile_commands.json in or above the source directory: files are parsed as C++20'
check_equal 'number of notes' 1 "$(wc -l <stderr)"
"$fairway" doctor --fix >stdout 2>stderr || true
check_equal 'number of notes of doctor --fix' 1 "$(grep -c 'fairway: note:' stderr)"
check_status 'routes with flags' 0 "$fairway" routes "${flags[@]}"
check_empty 'a note although flags are given' "$(cat stderr)"

begin "the search for a database goes up from the source directory; build/ and build/dev/ come next"
# An invalid database is an error that names it, long before anything is parsed.
mkdir else found
cp -r src found/src
while read -r folder; do
  mkdir -p "$folder"
  echo 'no json' >"$folder/compile_commands.json"
  [ "$folder" = . ] && named=$scratch || named=$scratch/$folder
  expect_error "in '$named'" -- env -C else "$fairway" routes --source-dir ../found/src
done <<'EOF'
build/dev
build
.
found/build/dev
found/build
found
found/src
EOF
cat >found/src/compile_commands.json <<EOF
[{"directory": "$scratch", "file": "found/src/main.cpp",
  "arguments": ["c++", "-std=c++20", "-I$include", "-DFOUND=\"/found\"", "-c", "found/src/main.cpp"]}]
EOF
sed -i 's|"/a"|FOUND|' found/src/routes/users.cpp
check_status 'the flags of the nearest database' 0 env -C else "$fairway" routes --format json --source-dir ../found/src
has stdout '"path": "/users/found"'
rm -r build else found compile_commands.json

begin "source directory"
expect_error "source directory 'none' does not exist" --source-dir -- "$fairway" doctor --source-dir none "${flags[@]}"
expect_error "has no directory 'routes'" --source-dir -- "$fairway" doctor --source-dir lib "${flags[@]}"

begin "source files that cannot be read"
ln -s nothing src/routes/gone.cpp
expect_error 'gone.cpp' 'a dangling symbolic link' -- "$fairway" doctor "${flags[@]}"
rm src/routes/gone.cpp
mkfifo src/routes/pipe.cpp
expect_error 'pipe.cpp' 'cannot read' -- "$fairway" doctor "${flags[@]}"
rm src/routes/pipe.cpp

begin "the output directory is a file, or an output file is a directory"
touch file
expect_error "cannot write 'file/" 'not a directory' -- build --out-dir file
mkdir -p blocked/app_table.cpp/folder
expect_error "cannot write 'blocked/app_table.cpp'" 'it is a directory' -- build --out-dir blocked
check_empty 'temporary files' "$(find blocked -name '*.tmp')"

begin "output to a device"
check 'build' build --out-dir out
check 'openapi -o /dev/null' "$fairway" openapi -o /dev/null "${flags[@]}"
check '/dev/null is still a device' test -c /dev/null
if [ -c /dev/full ]; then
  expect_error "'/dev/full'" 'No space left' 'free space' -- "$fairway" openapi -o /dev/full "${flags[@]}"
  expect_error 'standard output' 'free space' \
    -- bash -c '"$0" "$@" >/dev/full' "$fairway" openapi "${flags[@]}"
else
  skip "no /dev/full"
fi

begin "a linked output file stays a link and keeps its permissions"
cp -r out linked
mv linked/openapi.json elsewhere.json
ln -s ../elsewhere.json linked/openapi.json
echo edited >elsewhere.json
chmod 600 elsewhere.json
check 'build' build --out-dir linked
check 'still a link' test -L linked/openapi.json
check 'the content is written through the link' cmp out/openapi.json elsewhere.json
check_equal 'permissions' 600 "$(stat -c %a elsewhere.json)"

begin "a build killed while it writes leaves each file complete, old or new"
cp -r out killed
content killed >before
sed -i 's|"/a"|"/b"|' src/routes/users.cpp
status=0 # above the size limit of a file, the process is killed
(
  trap - ERR
  ulimit -c 0
  ulimit -f 1
  build --out-dir killed >/dev/null 2>&1
) || status=$?
check "killed by a signal, status $status" test "$status" -gt 128
cut -d' ' -f3 before | while read -r name; do
  cmp -s "killed/$name" "out/$name" || grep -q '"/b"' "killed/$name" || grep -q '/users/b' "killed/$name" ||
    fail "killed/$name is neither the old file nor the new one"
done
check_empty 'temporary files' "$(find killed -name '*.tmp')"
check 'the table is the old one' cmp killed/app_table.cpp out/app_table.cpp

begin "full disk"
mkdir full
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=256k tmpfs full 2>/dev/null; then
  mounts+=("$scratch/full")
  cp -r out full/out
  content full/out >before
  dd if=/dev/zero of=full/ballast bs=1k count=256 2>/dev/null || true
  expect_error "cannot write 'full/out/" 'No space left' 'free space' -- build --out-dir full/out
  content full/out | check 'existing files are unchanged' diff - before
  check 'a build with a full cache directory' "$fairway" build --cache-dir full/cache --out-dir beside "${flags[@]}"
else
  skip "no tmpfs can be mounted"
fi

# Root can read and write everything, so these run as nobody.
as_nobody=()
if [ "$(id -u)" -eq 0 ]; then
  as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
begin "missing permissions"
if ! "${as_nobody[@]}" test -x "$fairway" 2>/dev/null || ! "${as_nobody[@]}" test -r "$include/fairway/fairway.hpp"; then
  skip "nobody cannot run the compiler"
  exit
fi
mkdir shut open nobody
chmod 755 shut
chmod 777 open nobody
if [ "$(id -u)" -ne 0 ]; then chmod 500 shut; fi
nobody() { env HOME=/nonexistent XDG_CACHE_HOME="$scratch/nobody" "${as_nobody[@]}" "$fairway" "$@" "${flags[@]}"; }

begin "an output directory or a cache directory without write permission"
expect_error "cannot write 'shut/" 'Permission denied' writable \
  -- nobody build --no-cache --cache-dir "$scratch/nobody" --out-dir shut/out
check 'a build with an unwritable cache directory' nobody build --cache-dir shut/cache --out-dir open/out

begin "unreadable directories are all reported, in order"
mkdir src/routes/secret
chmod 000 src/routes/secret
expect_error "src/routes/secret'" 'Permission denied' 'make it readable' -- nobody doctor --no-cache
ln -s nothing src/routes/gone.cpp
mkdir src/routes/another && chmod 000 src/routes/another
check_status 'an unreadable tree' 2 nobody doctor --no-cache
check_equal 'paths in the messages' 'routes/gone.cpp routes/another routes/secret ' \
  "$(sed -E "s/^fairway: [^']*'([^']*)'.*/\\1/" stderr | sed 's|.*/src/||' | tr '\n' ' ')"
rm src/routes/gone.cpp
rmdir src/routes/secret src/routes/another

begin "unreadable files are all reported, in order"
for name in d c b a; do cp src/routes/users.cpp "src/routes/$name.cpp" && chmod 000 "src/routes/$name.cpp"; done
check_status 'several files' 2 nobody doctor --no-cache --jobs 4
check_equal 'files in the messages' 'a.cpp b.cpp c.cpp d.cpp ' "$(grep -o '[abcd]\.cpp' stderr | tr '\n' ' ')"
rm -f src/routes/[abcd].cpp
cp src/routes/users.cpp src/routes/shut.cpp
chmod 000 src/routes/shut.cpp
expect_error "routes/shut.cpp'" 'Permission denied' 'make it readable' -- nobody doctor --no-cache
