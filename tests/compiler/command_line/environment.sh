#!/usr/bin/env bash
# What the program needs, and cannot find or read: headers of Clang, compilation databases, sources.
# Usage: environment.sh FAIRWAY INCLUDE_DIR
fairway=$1 include=$2
source "$(dirname "$0")/environment_checks.sh"

begin "environment: missing headers of Clang"
expect_error "no compiler headers in '/nowhere/include'" 'install the headers of Clang' \
  -- env FAIRWAY_RESOURCE_DIR=/nowhere "$fairway" doctor "${flags[@]}"

begin "environment: headers of another version of Clang"
mkdir -p lib/clang/3/include
touch lib/clang/3/include/stddef.h
expect_error "belong to Clang 3, this program to Clang" 'FAIRWAY_RESOURCE_DIR' \
  -- env FAIRWAY_RESOURCE_DIR=lib/clang/3/ "$fairway" doctor "${flags[@]}"

begin "environment: no compilation database in the given directory"
expect_error "no usable compile_commands.json in 'build'" CMAKE_EXPORT_COMPILE_COMMANDS ' -p' \
  -- "$fairway" doctor -p build
expect_error "in 'elsewhere'" -- "$fairway" doctor -p elsewhere

begin "environment: without a compilation database, the framework's own headers are used, with one note"
check_status 'routes without a database' 0 "$fairway" routes --format json
has stdout '"path": "/users/a"'
has stderr 'fairway: note: no compile_commands.json in or above the source directory: files are parsed as C++20'
check_equal 'number of notes' 1 "$(wc -l <stderr)"
"$fairway" doctor --fix >stdout 2>stderr || true
check_equal 'number of notes of doctor --fix' 1 "$(grep -c 'fairway: note:' stderr)"
check_status 'routes with flags' 0 "$fairway" routes "${flags[@]}"
check_empty 'a note although flags are given' "$(cat stderr)"

begin "environment: the search for a database goes up from the source directory; build/ and build/dev/ come next"
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

begin "environment: source directory"
expect_error "source directory 'none' does not exist" --source-dir -- "$fairway" doctor --source-dir none "${flags[@]}"
expect_error "has no directory 'routes'" --source-dir -- "$fairway" doctor --source-dir lib "${flags[@]}"

begin "environment: source files that cannot be read"
ln -s nothing src/routes/gone.cpp
expect_error 'gone.cpp' 'a dangling symbolic link' -- "$fairway" doctor "${flags[@]}"
rm src/routes/gone.cpp
mkfifo src/routes/pipe.cpp
expect_error 'pipe.cpp' 'cannot read' -- "$fairway" doctor "${flags[@]}"
rm src/routes/pipe.cpp

begin "environment: missing permissions"
require_nobody

begin "environment: unreadable directories are all reported, in order"
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

begin "environment: unreadable files are all reported, in order"
for name in d c b a; do cp src/routes/users.cpp "src/routes/$name.cpp" && chmod 000 "src/routes/$name.cpp"; done
check_status 'several files' 2 nobody doctor --no-cache --jobs 4
check_equal 'files in the messages' 'a.cpp b.cpp c.cpp d.cpp ' "$(grep -o '[abcd]\.cpp' stderr | tr '\n' ' ')"
rm -f src/routes/[abcd].cpp
cp src/routes/users.cpp src/routes/shut.cpp
chmod 000 src/routes/shut.cpp
expect_error "routes/shut.cpp'" 'Permission denied' 'make it readable' -- nobody doctor --no-cache
