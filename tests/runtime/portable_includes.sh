#!/usr/bin/env bash
# Which headers of Linux or glibc a build with FAIRWAY_EPOLL=OFF would include, through includes of our own:
# prints each with the file that has it, and fails if there are any.
# Usage: portable_includes.sh RUNTIME_DIR SOURCE...
set -euo pipefail
runtime=$1
shift

linux_only='^(linux/.*|asm/.*|(malloc|link|execinfo)\.h|sys/(epoll|eventfd|signalfd|timerfd|inotify|fanotify|prctl|syscall|pidfd|sendfile|sysinfo|auxv)\.h)$'
declare -A seen=()
found=0
queue=("$@")
while [ ${#queue[@]} -gt 0 ]; do
  file=${queue[-1]}
  unset 'queue[-1]'
  [ -z "${seen[$file]:-}" ] || continue
  seen[$file]=1
  # Without what only a build with FAIRWAY_EPOLL or with glibc has.
  while IFS= read -r include; do
    if [[ $include =~ $linux_only ]]; then
      echo "${file#"$runtime"/}: <$include>"
      found=1
    fi
    for folder in "$runtime" "$runtime/include"; do
      if [ -f "$folder/$include" ]; then queue+=("$folder/$include"); fi
    done
  done < <(awk '
    /^#if (FAIRWAY_EPOLL|FAIRWAY_HOOKS_THROW|defined\(__GLIBC__\))$/ { skipped = 1; next }
    skipped && /^#(else|endif)/ { skipped = 0; next }
    !skipped && /^#include/ { gsub(/^#include *[<"]|[>"].*$/, ""); print }' "$file")
done
echo "read ${#seen[@]} files"
[ ${#seen[@]} -gt $# ] && [ $found -eq 0 ]
