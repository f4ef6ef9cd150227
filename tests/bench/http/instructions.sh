#!/usr/bin/env bash
# Instructions that the Fairway server spends on one request in user space, by valgrind. Unlike times
# they do not depend on what else the machine does: use them to tell whether a change helped.
#   tests/bench/http/instructions.sh [BUILD_DIR] [CASE ...]     cases: hello user order file stream
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "${1:-build/bench}")
shift || true
cases=("$@")
[ ${#cases[@]} -gt 0 ] || cases=(hello user order)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/config"
echo '{"accessLog": {"enabled": true}, "logger": {"file": "access.log"}}' >"$work/config/default.json"

# Prints the instructions of a server's whole life with so many requests.
measure() {
  local port=$((20000 + RANDOM % 10000))
  (cd "$work" && FAIRWAY_ENV=production exec valgrind --tool=callgrind --callgrind-out-file="$work/$1.out" \
    "$build/tests/bench/http/bench_http_fairway" --port "$port" --host 127.0.0.1) >/dev/null 2>"$work/log" &
  local server=$!
  node "$here/requests.mjs" "$port" "$1" "$2" || { kill "$server"; cat "$work/log" >&2; exit 1; }
  kill -TERM "$server"
  wait "$server" || true
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/log"
}

few=500
many=2500
for name in "${cases[@]}"; do
  first=$(measure "$name" $few)
  second=$(measure "$name" $many)
  echo "$name: $(((second - first) / (many - few))) instructions a request"
  [ -z "${KEEP:-}" ] || cp "$work/$name.out" "$KEEP"
done
