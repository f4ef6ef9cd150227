#!/usr/bin/env bash
# fairway doctor on a tree without errors: suppressions and settings. Usage: check.sh FAIRWAY
# INCLUDE_DIR
set -euo pipefail
fairway=$1 include=$2
here=$(cd "$(dirname "$0")" && pwd)

fail() { echo "FAILED: $*" >&2; cat "$scratch/log" >&2; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/api"
cp -r "$here/src" "$scratch/api"
cd "$scratch/api"

doctor() {  # doctor STATUS OPTIONS...
  local expected=$1 status=0
  shift
  "$fairway" doctor "$@" -- -std=c++20 -I"$include" >"$scratch/log" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "doctor $*: exit status $status"
}
says() { grep -q -- "$1" "$scratch/log" || fail "not said: $1"; }

# Lints warn; a comment silences one, and another one has nothing to silence.
doctor 0
says '^src/routes/notes.cpp:12:13: warning: .* \[missing-docs-summary\]$'
says "^src/routes/notes.cpp:19:62: warning: there is no 'missing-docs-summary' .*\[unused-suppression\]$"
says '^2 warnings in 1 file$'
doctor 1 --strict

# Settings: above the source directory, named, or not at all.
echo '{"lints": {"*": "off"}}' >"$scratch/.fairway.json"
doctor 0 --strict
says 'nothing to report'
echo '{"lints": {"missing-docs-summary": "error", "*": "off"}}' >.fairway.json
doctor 1
says 'notes.cpp:12:13: error: .* \[missing-docs-summary\]$'
says '^1 error in 1 file$'
doctor 0 --no-config
says '^2 warnings in 1 file$'
doctor 0 --config "$scratch/.fairway.json"
says 'nothing to report'
echo '{"lints": {"missing-docs-sumary": "off"}}' >.fairway.json
doctor 2
says "^fairway: .fairway.json: /lints/missing-docs-sumary: unknown lint; did you mean 'missing-docs-summary'?$"
doctor 2 --config nowhere.json
says "cannot read the settings 'nowhere.json'"
doctor 2 --config .fairway.json --no-config
says 'exclude each other'
rm .fairway.json "$scratch/.fairway.json"
echo "passed"
