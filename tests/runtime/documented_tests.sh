#!/usr/bin/env bash
# Whether the tests that a page names exist: documented_tests.sh PAGE TESTS_DIR
set -euo pipefail
page=$1
tests=$2

count=0
missing=0
while read -r name; do
  count=$((count + 1))
  if ! grep -rqF "TEST_CASE(\"$name\"" --include='*_test.cpp' "$tests"; then
    echo "$page names a test that does not exist: $name"
    missing=1
  fi
done < <(sed -nE 's/^\|.*\| `([^`]+)` \|$/\1/p' "$page" | sort -u)
echo "$count tests"
[ "$missing" -eq 0 ] && [ "$count" -gt 0 ]
