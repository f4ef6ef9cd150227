#!/usr/bin/env bash
# A project of `fairway new` starts clean: doctor finds nothing in it, whatever its template and
# with each file of its configuration. Its settings and warnings, and the settings of the samples, are
# those that a service on the internet needs. Usage: check.sh FAIRWAY INCLUDE_DIR SAMPLES CXX
source "$(dirname "$0")/../../support/cases.sh"
fairway=$1 include=$2 samples=$3 compiler=$4

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Each project is in the same folder then: with the same flags, they share a precompiled header.
in_project() { # in_project PROJECT COMMAND ARGUMENTS...
  local status=0
  mv "$1" project
  (cd project && "$fairway" "${@:2}" --cache-dir "$scratch/cache" -- -std=c++20 -I"$include" -Isrc) \
    >"$scratch/log" 2>&1 || status=$?
  mv project "$1"
  return "$status"
}
doctor() { # doctor PROJECT ARGUMENTS...
  in_project "$1" doctor --strict --all "${@:2}"
}
expect_clean() { # expect_clean PROJECT ARGUMENTS...
  if ! doctor "$@" || ! grep -q 'routes\? in .* files\?, no findings$' "$scratch/log" ||
    [ "$(wc -l <"$scratch/log")" -ne 1 ]; then
    cat "$scratch/log"
    fail "doctor: $*"
  fi
}
# Every response has an access line, and an invalid id of a request is not an error of the server: in
# each environment.
expect_settings() { # expect_settings CONFIG
  node -e '
    const { readdirSync, readFileSync } = require("node:fs");
    const [folder] = process.argv.slice(1);
    const read = (name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
    const valueIn = ([section, key], layers) => Object.assign({}, ...layers.map((layer) => layer[section]))[key];
    for (const name of readdirSync(folder)) {
      for (const [path, value] of [[["accessLog", "errors"], true], [["requestId", "onInvalid"], "replace"]]) {
        if (valueIn(path, [read("default.json"), read(name)]) === value) continue;
        console.error(`${folder}, ${name}: ${path.join(".")} is not ${value}`);
        process.exitCode = 1;
      }
    }' "$1" || fail "settings: $1"
}
begin "warnings: of the compiler, but not of designated initialisers"
printf 'int ignores(int unused) { return 0; }\n' >"$scratch/unused.cpp"
cat >"$scratch/left_out.cpp" <<'END'
#include <optional>

struct Order {
  int id = 0;
  std::optional<int> note;
};
Order order() { return {.id = 1}; }
END
expect_warnings() { # expect_warnings PROJECT
  local flags
  mapfile -t flags < <(grep -oE -e '-W[a-z-]+' "$1/CMakeLists.txt")
  local check=("$compiler" -std=c++20 "${flags[@]}" -Werror -fsyntax-only)
  if "${check[@]}" "$scratch/unused.cpp" 2>"$scratch/log"; then fail "$1: no warning of an unused parameter"; fi
  grep -qe '-Wunused-parameter\|-Werror=unused-parameter' "$scratch/log" || fail "$1: another error: $(<"$scratch/log")"
  "${check[@]}" "$scratch/left_out.cpp" || fail "$1: a warning of a member that is left out"
}

status=0
"$fairway" new shop --template unknown 2>"$scratch/log" || status=$?
[ "$status" -eq 2 ] || fail "an unknown template: exit status $status"
read -ra templates < <(sed -n "s/^fairway: --template must be \(.*\), not 'unknown'.*/\1/p" "$scratch/log" |
  sed 's/,\| or / /g')
[ "${#templates[@]}" -ge 4 ] || fail "the templates are not listed"

begin "templates: a new project is clean"
for template in "${templates[@]}"; do
  echo "$template"
  "$fairway" new "$template" --template "$template" >/dev/null
  expect_clean "$template"
  for file in "$template"/config/*.json; do
    expect_clean "$template" --app-config "${file#"$template"/}"
  done
  expect_settings "$template/config"
  expect_warnings "$template"
done

begin "commands: before the first configuration, without flags"
for command in 'doctor --strict' openapi 'client ts'; do
  # shellcheck disable=SC2086
  (cd api && "$fairway" $command --cache-dir "$scratch/cache") >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "fairway $command in a new project"
  }
  grep -q '^fairway: note: no compile_commands.json' "$scratch/log" || fail "fairway $command: no note"
done

begin "samples: their settings"
# `hello` is the smallest program and has no configuration.
configured=("$samples"/*/config)
[ "${#configured[@]}" -ge 4 ] || fail "few samples have a configuration"
for config in "${configured[@]}"; do expect_settings "$config"; done

begin "AGENTS.md: its commands exist, and its route has no findings"
grep -o '`\?fairway [a-z]\+\( --[a-z-]\+\)\?' api/AGENTS.md | tr -d '`' | sort -u >"$scratch/commands"
[ "$(wc -l <"$scratch/commands")" -ge 6 ] || fail "AGENTS.md names few commands"
while read -r _ command option; do
  "$fairway" help "$command" >"$scratch/log" || fail "AGENTS.md: fairway $command"
  [ -z "$option" ] || grep -q -e "$option" "$scratch/log" || fail "AGENTS.md: fairway $command $option"
done <"$scratch/commands"
sed -n '/^```cpp/,/^```$/ { /^```/d; p }' minimal/AGENTS.md >minimal/src/routes/orders.cpp
expect_clean minimal
in_project minimal routes
grep -q '/orders/:id' "$scratch/log" || fail "AGENTS.md has no routes"

begin "doctor: errors in these projects are found"
sed -i '0,/\.summary = "[^"]*", /s///' api/src/routes/notes.cpp
if doctor api || ! grep -q '\[missing-docs-summary\]$' "$scratch/log"; then
  cat "$scratch/log"
  fail "a route without a summary is not reported"
fi
echo passed
