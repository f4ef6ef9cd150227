# shellcheck shell=bash
# Named cases for shell tests: a failure is printed with the name of its case, and ends the test.
set -eEuo pipefail

case_name=set-up
shown=() # files that a failure prints, if they are there

# begin CASE: the checks that follow belong to this case.
begin() { case_name=$*; }

fail() {
  local file
  for file in "${shown[@]}"; do
    if [ -f "$file" ]; then cat "$file" >&2; fi
  done
  echo "FAILED: $case_name: $*" >&2
  exit 1
}
trap 'fail "line $LINENO: $BASH_COMMAND"' ERR
