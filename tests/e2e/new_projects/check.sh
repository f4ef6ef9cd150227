#!/usr/bin/env bash
# A project of `fairway new` starts clean: doctor finds nothing in it, whatever its template and
# with each file of its configuration. Usage: check.sh FAIRWAY INCLUDE_DIR
set -euo pipefail
fairway=$1 include=$2

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

doctor() { # doctor PROJECT ARGUMENTS...
  (cd "$1" && "$fairway" doctor --strict --all --cache-dir "$scratch/cache" "${@:2}" \
    -- -std=c++20 -I"$include" -Isrc) >"$scratch/log" 2>&1
}
expect_clean() { # expect_clean PROJECT ARGUMENTS...
  if ! doctor "$@" || ! grep -q 'routes\? in .* files\?, no findings$' "$scratch/log" ||
    [ "$(wc -l <"$scratch/log")" -ne 1 ]; then
    cat "$scratch/log"
    fail "doctor: $*"
  fi
}

status=0
"$fairway" new shop --template unknown 2>"$scratch/log" || status=$?
[ "$status" -eq 2 ] || fail "an unknown template: exit status $status"
read -ra templates < <(sed -n "s/^fairway: --template must be \(.*\), not 'unknown'.*/\1/p" "$scratch/log" |
  sed 's/,\| or / /g')
[ "${#templates[@]}" -ge 4 ] || fail "the templates are not listed"

for template in "${templates[@]}"; do
  echo "$template"
  "$fairway" new "$template" --template "$template" >/dev/null
  expect_clean "$template"
  for file in "$template"/config/*.json; do
    expect_clean "$template" --app-config "${file#"$template"/}"
  done
done

# What AGENTS.md says is true: its commands exist, and its route has no findings.
grep -o '`\?fairway [a-z]\+\( --[a-z-]\+\)\?' api/AGENTS.md | tr -d '`' | sort -u >"$scratch/commands"
[ "$(wc -l <"$scratch/commands")" -ge 6 ] || fail "AGENTS.md names few commands"
while read -r _ command option; do
  "$fairway" help "$command" >"$scratch/log" || fail "AGENTS.md: fairway $command"
  [ -z "$option" ] || grep -q -e "$option" "$scratch/log" || fail "AGENTS.md: fairway $command $option"
done <"$scratch/commands"
sed -n '/^```cpp/,/^```$/ { /^```/d; p }' minimal/AGENTS.md >minimal/src/routes/orders.cpp
expect_clean minimal
"$fairway" routes --source-dir minimal/src -- -std=c++20 -I"$include" >"$scratch/log"
grep -q '/orders/:id' "$scratch/log" || fail "AGENTS.md has no routes"

# Doctor looks at these projects.
sed -i '0,/\.summary = "[^"]*", /s///' api/src/routes/notes.cpp
if doctor api || ! grep -q '\[missing-docs-summary\]$' "$scratch/log"; then
  cat "$scratch/log"
  fail "a route without a summary is not reported"
fi
echo passed
