#!/usr/bin/env bash
# Puts prism as a proxy between a command and a server, and fails when an answer is not what the
# document says: with_prism.sh PRISM DOCUMENT COMMAND... UPSTREAM_URL
# The command gets the proxy's URL behind. Requests are not judged: some are wrong on purpose.
set -euo pipefail
prism=$1 document=$2
shift 2
upstream=${*: -1}
set -- "${@:1:$#-1}"

log=$(mktemp)
proxy=
cleanup() {
  if [ -n "$proxy" ]; then kill "$proxy" 2>/dev/null || true; wait "$proxy" 2>/dev/null || true; fi
  rm -f "$log"
}
trap cleanup EXIT

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1",
  () => { console.log(s.address().port); s.close(); })')
node "$prism" proxy "$document" "$upstream" --errors --validate-request=false \
  --host 127.0.0.1 --port "$port" >"$log" 2>&1 &
proxy=$!
for _ in $(seq 600); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
  kill -0 "$proxy" 2>/dev/null || { cat "$log"; echo "prism ended" >&2; exit 1; }
  sleep 0.1
done
status=0
"$@" "http://127.0.0.1:$port" || status=$?
# Prism answers 401 itself to requests without the credentials that the document asks for.
if grep -iE 'violation|✖' "$log" | grep -qv 'errors#UNAUTHORIZED'; then
  cat "$log"
  echo "an answer is not what the document says" >&2
  exit 1
fi
[ "$status" -eq 0 ] || cat "$log"
exit "$status"
