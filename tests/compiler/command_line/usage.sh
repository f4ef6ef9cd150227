#!/usr/bin/env bash
# Help and usage errors, as printed: what is in golden/. Usage: usage.sh FAIRWAY OUTPUT_DIR
set -euo pipefail
fairway=$(realpath "$1") output=$2
golden=$(cd "$(dirname "$0")" && pwd)/golden

fail() { echo "FAILED: $*" >&2; exit 1; }

mkdir -p "$output"
output=$(realpath "$output")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir -p src/routes other/src/lib

# Help: on standard output, with status 0, in lines of at most 80 columns.
commands='new dev test build doctor openapi client routes diff contract lsp completion manual help'
"$fairway" --help >"$output/help.txt"
for command in $commands; do
  "$fairway" "$command" --help >"$output/help_$command.txt" 2>log || fail "$command --help"
  [ ! -s log ] || fail "something on standard error of: $command --help"
  "$fairway" help "$command" | cmp - "$output/help_$command.txt" || fail "help $command"
  "$fairway" "$command" -h --wrong --color=x | cmp - "$output/help_$command.txt" || fail "$command -h"
done
"$fairway" help | cmp - "$output/help.txt" || fail "help"
! grep -nE '.{81}' "$output"/help*.txt || fail "a line has more than 80 columns"
[ "$("$fairway" --version)" = "$("$fairway" --version | grep -xE 'fairway [0-9]+\.[0-9]+\.[0-9]+ \(LLVM [0-9.]+\)')" ] ||
  fail "--version"
status=0
"$fairway" >stdout 2>stderr || status=$?
[ "$status" -eq 2 ] && [ ! -s stdout ] && cmp stderr "$output/help.txt" || fail "no arguments"

# Errors: on standard error, with status 2.
: >"$output/errors.txt"
usage() {
  local status=0
  "$fairway" "$@" >stdout 2>stderr || status=$?
  [ "$status" -eq 2 ] || fail "exit status $status of: $*"
  [ ! -s stdout ] || fail "something on standard output of: $*"
  { echo "\$ fairway ${*@Q}" | tr -d "'"; cat stderr; echo; } >>"$output/errors.txt"
}
usage docter
usage nw shop
usage docter --help
usage --sorce-dir
usage help docter
usage help build doctor
usage doctor --sorce-dir src
usage doctor --frobnicate
usage doctor -std=c++20
usage doctor src/routes/users.cpp
usage routes other
usage openapi other -- -std=c++20
usage build --out-dir out other
usage client ts other
usage diff old.json new.json third.json
usage diff old.json new.json -- more
usage doctor --jobs
usage doctor --jobs 0
usage doctor --jobs=-1
usage doctor --jobs 1.5
usage doctor --fix=yes
usage doctor --source-dir ''
usage doctor --source-dir= src
usage doctor --middleware ''
usage doctor --config a --no-config
usage doctor --flags-file nowhere
usage doctor --config nowhere
usage doctor --color sometimes
usage doctor --diagnostics-format xml
usage doctor --format xml
usage doctor --explain duplicate-rote
usage doctor --explain x
usage routes --format yaml
usage openapi --format text
usage openapi --output-format xml
usage openapi --openapi 2.0
usage openapi --guard-security guard
usage openapi --app-config nowhere
usage new
usage new ''
usage new 'My Shop'
usage new 3rd/
usage new test
usage new missing/shop
usage new other/src
usage new shop --template ap
usage new shop --fairway-source nowhere
[ ! -e shop ] || fail "a project was created"
usage dev
usage dev src
usage dev --port many
usage dev --port 65536
usage dev --max-wait 0
usage dev --target
usage build
usage build --outdir out
usage build --out-dir out --name my-app
usage build --out-dir out --name ../evil
usage build --out-dir out --name 2nd
usage build --out-dir out --client-name my-client
usage client
usage client --client-name
usage client java
usage client cpp --client-name my-client
usage diff
usage diff old.json
usage completion
usage completion tcsh
usage manual docter
usage manual doctor --out-dir man1
usage diff --format sarif old.json new.json
usage diff --explain no-such-change
usage diff --explain request-enum-value-remove
usage doctor -p=nowhere
usage doctor --source-dir nowhere
usage doctor --source-dir other
[ ! -e out ] || fail "something was written"

diff -ru "$golden" "$output" || fail "not as in golden/; tools/goldens.sh replaces the golden files"
