#!/usr/bin/env bash
# Runs the commands of a page, each block of them in a directory of its own:
#   docs_check.sh PAGE PROGRAM
# PROGRAM stands for ./my-api.
set -euo pipefail
page=$1 program=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk -v stem="$scratch/block" '
  /^```sh$/ { inside = 1; ++count; next }
  /^```$/ { inside = 0 }
  inside { print > (stem count ".sh") }' "$page"

count=0
for block in "$scratch"/block*.sh; do
  count=$((count + 1))
  directory=$scratch/run$count
  mkdir "$directory"
  ln -s "$program" "$directory/my-api"
  # `set -m` gives background commands numbers as in a terminal.
  if ! (cd "$directory" && timeout 900 bash -em "$block" >output 2>&1); then
    echo "$page: this does not work:" >&2
    cat "$block" "$directory"/output "$directory"/*.log >&2
    exit 1
  fi
done
[ "$count" -ge 3 ] || {
  echo "$page: only $count blocks of commands" >&2
  exit 1
}
echo "$count blocks of commands work"
