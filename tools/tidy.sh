#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) over the runtime and the route compiler as BUILD_DIR builds them:
# tidy.sh [--changed | --base REV] BUILD_DIR. With --base, it checks names only, in the translation units of
# the files that the commits since REV changed; --changed is --base HEAD~1. Each unit takes up to twenty
# seconds, so that it takes twelve of them at most, which are two minutes with two processors, and says how
# many it left out. tools/nightly.sh checks everything.
set -euo pipefail
cd "$(dirname "$0")/.."

base=
case "${1:-}" in
--changed)
  base=HEAD~1
  shift
  ;;
--base)
  base=${2:-}
  shift $(($# < 2 ? $# : 2))
  ;;
esac
if [ $# -ne 1 ]; then
  echo "usage: tools/tidy.sh [--changed | --base REV] BUILD_DIR" >&2
  exit 2
fi
build=$(realpath "$1")
max_units=12

# The source of the header's name, or one that includes the header, perhaps through other headers.
source_of() { # source_of HEADER
  local headers=("$1") seen=" " header names users
  if [ -f "${1%.hpp}.cpp" ]; then
    echo "${1%.hpp}.cpp"
    return
  fi
  while [ ${#headers[@]} -gt 0 ]; do
    header=${headers[0]}
    headers=("${headers[@]:1}")
    names=${header#*/}
    names=${names#include/}
    users=$(git grep -lE "^#include [\"<]${names//./\\.}[\">]" -- 'runtime/*.[ch]pp' 'compiler/*.[ch]pp' || true)
    if grep -m 1 '\.cpp$' <<<"$users"; then return; fi
    for header in $users; do
      [[ $seen == *" $header "* ]] || headers+=("$header")
      seen+="$header "
    done
  done
}

options=(--quiet -p "$build")
mapfile -t units < <(find "$build/runtime/units" "$build/compiler/units" -name '*.cpp' | sort)
if [ -n "$base" ]; then
  options+=('--checks=-*,readability-identifier-naming')
  if ! git rev-parse --quiet --verify "$base^{commit}" >/dev/null; then
    echo "tidy: the checkout has no commit $base to compare with"
    exit 0
  fi
  # A unit includes sources by their paths.
  sources=$(
    git diff --name-only --diff-filter=d "$base" -- 'runtime/*.[ch]pp' 'compiler/*.[ch]pp' | while read -r file; do
      if [[ $file == *.hpp ]]; then source_of "$file"; else echo "$file"; fi
    done | sort -u
  )
  mapfile -t units < <(grep -lF -e "${sources:-no source}" "${units[@]}")
  if [ ${#units[@]} -gt $max_units ]; then
    echo "tidy: leaves out $((${#units[@]} - max_units)) translation units"
    units=("${units[@]:0:max_units}")
  fi
fi
echo "tidy: ${#units[@]} translation units"
[ ${#units[@]} -gt 0 ] || exit 0
# Counts of suppressed warnings are no result.
printf '%s\0' "${units[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 "${options[@]}" 2> >(
  grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?generated' >&2
)
