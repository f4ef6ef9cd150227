#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) over the runtime and the route compiler as BUILD_DIR builds them:
# tidy.sh [--changed] BUILD_DIR. With --changed, it checks names only, in the translation units of the
# files that the last commit changed, and in three of them at most: each takes up to twenty seconds.
# tools/nightly.sh checks everything.
set -euo pipefail
cd "$(dirname "$0")/.."

changed=
if [ "${1:-}" = --changed ]; then
  changed=yes
  shift
fi
if [ $# -ne 1 ]; then
  echo "usage: tools/tidy.sh [--changed] BUILD_DIR" >&2
  exit 2
fi
build=$(realpath "$1")

options=(--quiet -p "$build")
mapfile -t units < <(find "$build/runtime/units" "$build/compiler/units" -name '*.cpp' | sort)
if [ -n "$changed" ]; then
  options+=('--checks=-*,readability-identifier-naming')
  # A unit includes sources by their paths; a header is checked with the source of its name.
  if ! git rev-parse --quiet --verify HEAD~1 >/dev/null; then
    echo "tidy: the checkout has no earlier commit to compare with"
    exit 0
  fi
  sources=$(git diff --name-only --diff-filter=d HEAD~1 -- 'runtime/*.[ch]pp' 'compiler/*.[ch]pp' | sed 's/\.hpp$/.cpp/')
  mapfile -t units < <(grep -lF -e "${sources:-no source}" "${units[@]}" | head -n 3)
fi
echo "tidy: ${#units[@]} translation units"
[ ${#units[@]} -gt 0 ] || exit 0
# Counts of suppressed warnings are no result.
printf '%s\0' "${units[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 "${options[@]}" 2> >(
  grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?generated' >&2
)
