#!/usr/bin/env bash
# Starts the orders sample in a folder of its own and runs a command with its URL behind:
#   with_orders.sh ORDERS_PROGRAM ORDERS_DIR COMMAND...
set -euo pipefail
program=$1 sample=$2
shift 2

scratch=$(mktemp -d)
server=
cleanup() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap cleanup EXIT
cp -r "$sample/config" "$sample/locales" "$scratch"

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1",
  () => { console.log(s.address().port); s.close(); })')
(cd "$scratch" && exec "$program" --host 127.0.0.1 --port "$port" >server.log 2>&1) &
server=$!
for _ in $(seq 150); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
  kill -0 "$server" 2>/dev/null || { cat "$scratch/server.log"; echo "the sample ended" >&2; exit 1; }
  sleep 0.1
done
"$@" "http://127.0.0.1:$port"
