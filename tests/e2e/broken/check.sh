#!/usr/bin/env bash
# Eight different errors in five files: all are reported in one run, the exit status is 1, nothing
# is emitted and older output stays. Usage: check.sh FAIRWAY INCLUDE_DIR
source "$(dirname "$0")/../../support/cases.sh"
fairway=$1 include=$2
here=$(cd "$(dirname "$0")" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/out" && echo "older" >"$scratch/out/app_table.cpp"

cd "$here"
begin "build: all errors of all files are reported, and nothing is emitted"
status=0
"$fairway" build --source-dir src --out-dir "$scratch/out" \
  -- -std=c++20 -I"$include" >"$scratch/log" 2>&1 || status=$?
cat "$scratch/log"
[ "$status" -eq 1 ] || fail "exit status $status"
for expected in \
  'users.cpp:8:16: error: .*\[options-from-helper\]' \
  'users.cpp:10:50: error: .*\[bad-schema\]' \
  'orders.cpp:6:11: error: .*\[route-path-not-static\]' \
  'orders.cpp:9:[0-9]*: error: .*\[registration-not-top-level\]' \
  'items.cpp:5:[0-9]*: error: .*\[duplicate-route\]' \
  'items.cpp:7:[0-9]*: error: .*\[computed-method\]' \
  'empty.cpp.*: error: .*\[no-default-export\]' \
  'garbled.cpp:3:13: error: .*\[does-not-parse\]'; do
  grep -q "^src/routes/$expected" "$scratch/log" || fail "not reported: $expected"
done
[ "$(grep -c 'error:' "$scratch/log")" -eq 8 ] || fail "not exactly eight errors"
[ "$(cat "$scratch/out/app_table.cpp")" = older ] || fail "older output was touched"
[ "$(find "$scratch/out" -type f -not -path "$scratch/out/cache/*" | wc -l)" -eq 1 ] || fail "something was emitted"

begin "build systems: the same errors in a file, and a depfile that says which change may repair them"
"$fairway" build --source-dir src --out-dir "$scratch/out" --errors "$scratch/errors" \
  --depfile "$scratch/deps" -- -std=c++20 -I"$include" >"$scratch/shown" 2>&1 || fail "--errors: exit status $?"
[ ! -s "$scratch/shown" ] || fail "stored errors were shown"
diff "$scratch/log" "$scratch/errors" || fail "other errors in the file"
grep -q "$here/src/routes/users.cpp" "$scratch/deps" || fail "no depfile of a tree with errors"

status=0
"$fairway" doctor --format json --source-dir src -- -std=c++20 -I"$include" >"$scratch/json" || status=$?
[ "$status" -eq 1 ] || fail "doctor: exit status $status"
node -e 'const r = JSON.parse(require("fs").readFileSync(process.argv[1]));
  if (r.ok || r.summary.errors !== 8 || r.diagnostics.length !== 8) process.exit(1);' \
  "$scratch/json" || fail "doctor --format json"

status=0
"$fairway" doctor --format sarif --source-dir src -- -std=c++20 -I"$include" >"$scratch/sarif" || status=$?
[ "$status" -eq 1 ] || fail "doctor --format sarif: exit status $status"
node "$here/../../../tools/npm/validate-sarif.mjs" "$scratch/sarif" || fail "doctor --format sarif"
[ "$(grep -c '"ruleIndex"' "$scratch/sarif")" -eq 8 ] || fail "not eight SARIF results"

status=0
GITHUB_WORKSPACE=$(dirname "$here") "$fairway" build --format github --source-dir src \
  --out-dir "$scratch/out" -- -std=c++20 -I"$include" 2>"$scratch/github" || status=$?
[ "$status" -eq 1 ] || fail "build --format github: exit status $status"
grep -q '^::error file=broken/src/routes/users.cpp,line=10,endLine=10,col=50,endColumn=[0-9]*,title=bad-schema::unknown type' \
  "$scratch/github" || fail "build --format github"
[ "$(grep -c '^::error ' "$scratch/github")" -eq 8 ] || fail "not eight annotations"

begin "usage and environment: exit status 2, and a message that names the error"
expect_error() { # expect_error TEXT ARGUMENTS...
  local text=$1 status=0
  shift
  "$fairway" "$@" >"$scratch/log" 2>&1 || status=$?
  [ "$status" -eq 2 ] || fail "fairway $*: exit status $status"
  grep -qF -- "$text" "$scratch/log" || {
    cat "$scratch/log"
    fail "fairway $*: nothing about: $text"
  }
}
expect_error "unknown command 'bild'" bild
expect_error "unknown option '--sorce-dir'" doctor --sorce-dir src
expect_error '--out-dir is required' build
expect_error "--format must be text, json, sarif or github, not 'xml'" doctor --format xml
expect_error '--jobs needs a value' doctor --jobs
expect_error "source directory 'nowhere' does not exist" doctor --source-dir nowhere
expect_error "--explain must be the id of a rule, not 'no-such-rule'" doctor --explain no-such-rule
"$fairway" doctor --list-rules | grep '^duplicate-route ' >/dev/null || fail "--list-rules"
echo "passed"
