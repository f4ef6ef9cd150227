#!/usr/bin/env bash
# Help and usage errors, as printed: what is in golden/. Usage: usage.sh FAIRWAY OUTPUT_DIR
fairway=$(realpath "$1") output=$2
golden=$(cd "$(dirname "$0")" && pwd)/golden
mkdir -p "$output"
output=$(realpath "$output")
source "$(dirname "$0")/checks.sh"

mkdir -p src/routes other/src/lib

begin "help: on standard output, with status 0, in lines of at most 80 columns"
commands='new dev test build doctor openapi client routes observe rewrite-schemas diff contract lsp mcp completion manual help'
"$fairway" --help >"$output/help.txt"
for command in $commands; do
  check_status "$command --help" 0 "$fairway" "$command" --help
  check_empty "standard error of $command --help" "$(cat stderr)"
  cp stdout "$output/help_$command.txt"
  "$fairway" help "$command" | check "help $command" cmp - stdout
  "$fairway" "$command" -h --wrong --color=x | check "$command -h" cmp - stdout
done
"$fairway" help | check "help" cmp - "$output/help.txt"
check_not "a line has more than 80 columns" grep -nE '.{81}' "$output"/help*.txt

begin "--version: one line"
"$fairway" --version >version
check "form" grep -xE 'fairway [0-9]+\.[0-9]+\.[0-9]+ \(LLVM [0-9.]+\)' version
check_equal "number of lines" 1 "$(wc -l <version)"

begin "no arguments: the help on standard error, with status 2"
check_status "fairway" 2 "$fairway"
check_empty "standard output" "$(cat stdout)"
check "the help" cmp stderr "$output/help.txt"

begin "errors: on standard error, with status 2"
: >"$output/errors.txt"
usage() {
  check_status "fairway $*" 2 "$fairway" "$@"
  check_empty "standard output of: fairway $*" "$(cat stdout)"
  {
    echo "\$ fairway ${*@Q}" | tr -d "'"
    cat stderr
    echo
  } >>"$output/errors.txt"
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
usage rewrite-schemas
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
touch notes.txt
usage new notes.txt/shop
usage new other/src
usage new shop --template ap
usage new shop --fairway-source nowhere
check_not "a project was created" test -e shop
usage dev
usage dev src
usage dev --port many
usage dev --port 65536
usage dev --max-wait 0
usage dev --editor http://a
usage dev --editor 'http://a{file}{column}'
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
check_not "files were written" test -e out

begin "usage: help and errors equal golden/; tools/goldens.sh replaces the golden files"
check "golden files" diff -ru "$golden" "$output"
