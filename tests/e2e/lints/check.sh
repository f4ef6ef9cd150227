#!/usr/bin/env bash
# Lints are warnings: doctor tells them and fails only when asked to; build says nothing of them.
# The samples have none. Usage: check.sh FAIRWAY INCLUDE_DIR SAMPLES_DIR
source "$(dirname "$0")/../../support/cases.sh"
fairway=$1 include=$2 samples=$3
here=$(cd "$(dirname "$0")" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache
# Every tree is in the same folder: with the same flags, they share a precompiled header.
mkdir "$scratch/app"
cd "$scratch/app"
flags=(-std=c++20 -I"$include" -I"$samples" -Isrc)
cp -r "$here/src" src

expect_status() { # expect_status STATUS ARGUMENTS...
  local expected=$1 status=0
  shift
  "$fairway" "$@" -- "${flags[@]}" >"$scratch/out" 2>"$scratch/log" || status=$?
  cat "$scratch/log"
  [ "$status" -eq "$expected" ] || fail "fairway $*: exit status $status"
}
warning='^src/routes/index.cpp:10:42: warning: the query key .q. is not declared .*\[undeclared-input\]$'
begin "doctor: a lint is a warning"
expect_status 0 doctor
grep -q "$warning" "$scratch/log" || fail "not reported"
begin "doctor: --strict makes a lint an error"
expect_status 1 doctor --strict
grep -q "$warning" "$scratch/log" || fail "not reported with --strict"
begin "doctor: a lint is counted in JSON"
expect_status 0 doctor --format json
grep -q '"warnings": 1' "$scratch/out" || fail "not counted"
begin "routes: no lints"
expect_status 0 routes
[ ! -s "$scratch/log" ] || fail "routes reports lints"

begin "samples: no lints"
for sample in accounts gateway hello orders pages rooms; do
  rm -rf "$scratch"/app/*
  cp -r "$samples/$sample/." .
  "$fairway" doctor --strict -- "${flags[@]}" || fail "the sample '$sample'"
done
echo "passed"
