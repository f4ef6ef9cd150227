# shellcheck shell=bash
# Named checks for the shell tests of this folder. A failed check prints the case, the check and the
# output of its command, and ends the test. The test runs in `$scratch`, which is removed at the end.
source "$(dirname "${BASH_SOURCE[0]}")/../../support/cases.sh"

skip() { echo "SKIPPED: $case_name: $*"; }

scratch=$(mktemp -d)
clean_up() { rm -rf "$scratch"; }
trap clean_up EXIT
cd "$scratch"
export XDG_CACHE_HOME=$scratch/xdg

# check NAME COMMAND...: the command succeeds. It may read standard input.
check() {
  local name=$1 status=0
  shift
  "$@" >"$scratch/check.log" 2>&1 || status=$?
  [ "$status" -eq 0 ] || {
    cat "$scratch/check.log" >&2
    fail "$name: exit status $status of: $*"
  }
}

# check_not NAME COMMAND...: the command fails.
check_not() {
  local name=$1
  shift
  if "$@" >"$scratch/check.log" 2>&1; then
    cat "$scratch/check.log" >&2
    fail "$name: unexpected success of: $*"
  fi
}

# check_equal NAME EXPECTED FOUND
check_equal() { [ "$2" = "$3" ] || fail "$1: '$3' instead of '$2'"; }

# check_empty NAME TEXT
check_empty() { [ -z "$2" ] || fail "$1: $2"; }

# check_status NAME STATUS COMMAND...: the outputs of the command are in ./stdout and ./stderr.
check_status() {
  local name=$1 expected=$2 status=0
  shift 2
  "$@" >stdout 2>stderr || status=$?
  [ "$status" -eq "$expected" ] || {
    cat stdout stderr >&2
    fail "$name: exit status $status of: $*"
  }
}

# has FILE TEXT..., lacks FILE TEXT: whether a file contains texts.
has() {
  local file=$1 text
  shift
  for text in "$@"; do grep -qF -- "$text" "$file" || {
    cat "$file" >&2
    fail "$file does not contain: $text"
  }; done
}
lacks() { if grep -nF -- "$2" "$1" >&2; then fail "$1 contains: $2"; fi; }
