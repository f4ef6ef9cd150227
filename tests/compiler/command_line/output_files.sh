#!/usr/bin/env bash
# Output files that cannot be written, and builds that are killed: existing files stay complete, and no
# temporary files are left.
# Usage: output_files.sh FAIRWAY INCLUDE_DIR
fairway=$1 include=$2
source "$(dirname "$0")/environment_checks.sh"

mounts=()
clean_up() {
  for mount in "${mounts[@]}"; do umount "$mount"; done
  rm -rf "$scratch"
}
# One cache of precompiled headers for all builds, outside their output directories.
build() { "$fairway" build --no-cache --cache-dir "$scratch/headers" "$@" "${flags[@]}"; }
content() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k2); }

begin "output files: the output directory is a file, or an output file is a directory"
touch file
expect_error "cannot write 'file/" 'not a directory' -- build --out-dir file
mkdir -p blocked/app_table.cpp/folder
expect_error "cannot write 'blocked/app_table.cpp'" 'it is a directory' -- build --out-dir blocked
check_empty 'temporary files' "$(find blocked -name '*.tmp')"

begin "output files: output to a device"
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

begin "output files: a linked output file stays a link and keeps its permissions"
cp -r out linked
mv linked/openapi.json elsewhere.json
ln -s ../elsewhere.json linked/openapi.json
echo edited >elsewhere.json
chmod 600 elsewhere.json
check 'build' build --out-dir linked
check 'still a link' test -L linked/openapi.json
check 'the content is written through the link' cmp out/openapi.json elsewhere.json
check_equal 'permissions' 600 "$(stat -c %a elsewhere.json)"

begin "output files: a build killed while it writes leaves each file complete, old or new"
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

begin "output files: full disk"
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

begin "output files: an output directory or a cache directory without write permission"
require_nobody
mkdir shut open
chmod 755 shut
chmod 777 open
if [ "$(id -u)" -ne 0 ]; then chmod 500 shut; fi
expect_error "cannot write 'shut/" 'Permission denied' writable \
  -- nobody build --no-cache --cache-dir "$scratch/nobody" --out-dir shut/out
check 'a build with an unwritable cache directory' nobody build --cache-dir shut/cache --out-dir open/out
