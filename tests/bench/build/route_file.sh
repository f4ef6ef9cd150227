#!/usr/bin/env bash
# Compiles the route files of the sample `orders` with their generated types, as they are in this
# checkout and in an earlier COMMIT, without building either: route_file.sh COMMIT [ROUNDS [FILE ...]]
# Prints a table: processor time in milliseconds, the medians of ROUNDS (default 7) compilations. Both
# trees take turns. CXX and CXXFLAGS are used (default: c++ -O0 -g).
# The commit before generated code read bodies and wrote responses is c7b6a87^, and the one before
# orders.cpp had types instead of schema maps f04d807e^.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd)
commit=$1
rounds=${2:-7}
shift $(($# < 2 ? $# : 2))
files=("$@")
[ ${#files[@]} -gt 0 ] || files=(orders customers products)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/before" "$scratch/now"
git -C "$source" archive "$commit" runtime/include generated samples | tar -x -C "$scratch/before"
tar -c -C "$source" runtime/include generated samples | tar -x -C "$scratch/now"

TIMEFORMAT='%U %S'
compile() { # compile TREE FILE: processor time in milliseconds
  local generated=$scratch/$1/generated/orders/include sample=$scratch/$1/samples/orders/src
  local command=("${CXX:-c++}" -std=c++20 ${CXXFLAGS:--O0 -g} -DFMT_SHARED -I"$scratch/$1/runtime/include"
    -I"$generated" -I"$generated/fairway/routes" -I"$sample" -I"$scratch/$1/samples"
    -I"$scratch/$1/samples/database" -c "$sample/routes/$2.cpp" -o "$scratch/object.o")
  { time "${command[@]}" 2>"$scratch/errors" || {
    cat "$scratch/errors" >&3
    exit 1
  }; } 3>&2 2>"$scratch/time"
  awk '{ printf "%d\n", ($1 + $2) * 1000 }' "$scratch/time"
}
median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }

echo "| route file | at $commit | now | times |"
echo '|---|--:|--:|--:|'
for file in "${files[@]}"; do
  for tree in before now; do compile "$tree" "$file" >/dev/null; done # reads the headers from the disk
  rm -f "$scratch"/times.*
  for ((round = 1; round <= rounds; ++round)); do
    for tree in before now; do compile "$tree" "$file" >>"$scratch/times.$tree"; done
  done
  before=$(median "$scratch/times.before")
  now=$(median "$scratch/times.now")
  echo "| $file.cpp | $before | $now | $(awk "BEGIN { printf \"%.2f\", $now / $before }") |"
done
