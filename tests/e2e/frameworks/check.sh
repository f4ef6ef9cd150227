#!/usr/bin/env bash
# A failed assertion shows the whole response: check.sh PROGRAM
set -euo pipefail
status=0
output=$("$1" 2>&1) || status=$?
fail() {
  printf '%s\nFAILED: %s\n' "$output" "$*" >&2
  exit 1
}
[ "$status" -ne 0 ] || fail "the program succeeds"
for text in '200 OK, the response to GET /hello/ada' 'content-type: application/json' '"greeting": "Hello, ada!"' 418; do
  grep -qF -- "$text" <<<"$output" || fail "nothing about: $text"
done
[ "$(grep -cF '200 OK, the response to' <<<"$output")" -eq 1 ] || fail "a success is shown too, or a response twice"
