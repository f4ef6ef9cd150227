#!/usr/bin/env bash
# Instructions that the Fairway server spends on one request in user space, by valgrind. Unlike times
# they do not depend on what else the machine does: use them to tell whether a change helped.
#   tests/bench/http/instructions.sh [BUILD_DIR] [CASE ...]
# The cases are defined in requests.mjs. KEEP=DIR keeps the profiles for callgrind_annotate.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${1:-build/bench}")
shift || true
cases=("$@")
[ ${#cases[@]} -gt 0 ] || cases=(hello measured traced typed-hello user order typed-order protected session redis cached not-modified static)
work=$(mktemp -d)
redis=
trap '[ -z "$redis" ] || kill "$redis"; rm -rf "$work"' EXIT
mkdir "$work/config" "$work/site"
redis_port=$((30000 + RANDOM % 10000))

# Prints the instructions of a server's whole life with so many requests.
measure() {
  local port=$((20000 + RANDOM % 10000))
  (cd "$work" && FAIRWAY_ENV=production exec valgrind --tool=callgrind --callgrind-out-file="$work/$1.out" \
    "$build/tests/bench/http/bench_http_fairway" --port "$port" --host 127.0.0.1) >/dev/null 2>"$work/log" &
  local server=$!
  node "$here/requests.mjs" "$port" "$1" "$2" || {
    kill "$server"
    cat "$work/log" >&2
    exit 1
  }
  kill -TERM "$server"
  wait "$server" || true
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/log"
}

few=500
many=2500
for name in "${cases[@]}"; do
  if [ "$name" = redis ]; then
    redis-server --port "$redis_port" --save '' --appendonly no >/dev/null &
    redis=$!
  fi
  node "$here/requests.mjs" config "$name" "$work/site" "$redis_port" >"$work/config/default.json"
  first=$(measure "$name" $few)
  second=$(measure "$name" $many)
  echo "$name: $(((second - first) / (many - few))) instructions a request"
  [ -z "${KEEP:-}" ] || cp "$work/$name.out" "$KEEP"
done
