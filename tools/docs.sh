#!/usr/bin/env bash
# Writes the pages of docs/ that come from the program itself; with --check only says whether they
# are current. Usage: docs.sh [--check] FAIRWAY
set -euo pipefail
check=
if [ "${1:-}" = --check ]; then
  check=yes
  shift
fi
if [ $# -ne 1 ]; then
  echo "usage: tools/docs.sh [--check] FAIRWAY" >&2
  exit 2
fi
fairway=$(realpath "$1")
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
node tools/diagnostics-page.mjs "$fairway" "$scratch/diagnostics.md"
node tools/changes-page.mjs "$fairway" "$scratch/contract-changes.md"
node tools/options-page.mjs "$scratch/route-options.md"
for page in diagnostics.md contract-changes.md route-options.md; do
  if [ -z "$check" ]; then
    cp "$scratch/$page" "docs/$page"
  elif ! diff "$scratch/$page" "docs/$page"; then
    echo "docs/$page is not what the program says: run tools/docs.sh $fairway" >&2
    exit 1
  fi
done
