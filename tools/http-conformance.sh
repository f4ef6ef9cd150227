#!/usr/bin/env bash
# Writes docs/http-conformance.md from the cases of tests/wire, which are run for it; with --check
# only says whether it is current. Usage: http-conformance.sh [--check] WIRE_CASES WIRE_SERVER
set -euo pipefail
check=
if [ "${1:-}" = --check ]; then
  check=yes
  shift
fi
if [ $# -ne 2 ]; then
  echo "usage: tools/http-conformance.sh [--check] WIRE_CASES WIRE_SERVER" >&2
  exit 2
fi
wire_cases=$(realpath "$1")
wire_server=$(realpath "$2")
cd "$(dirname "$0")/.."

page=docs/http-conformance.md
written=$(mktemp)
trap 'rm -f "$written"' EXIT
sets=()
for set in h1spec llhttp smuggling messages http11probe; do sets+=("tests/wire/cases/$set.wire"); done
"$wire_cases" "$wire_server" --httplib tests/wire/httplib_differs.txt --page "$written" "${sets[@]}"
if [ -z "$check" ]; then
  cp "$written" "$page"
elif ! diff "$written" "$page"; then
  echo "$page is not what the server does: run tools/http-conformance.sh" >&2
  exit 1
fi
