#!/usr/bin/env bash
# The official conformance suite of the Model Context Protocol against the endpoint of an application and against
# `fairway mcp`, with the scenarios for what they offer: tools. The tools that the calls name are only in the
# application. The suite needs a newer Node than Debian 12 has, which npm has, too.
# Usage: conformance.sh SERVER FAIRWAY [FOLDER], which keeps the packages for the next run.
set -euo pipefail
server=$(realpath "$1")
fairway=$(realpath "$2")
root=$(realpath "$(dirname "$0")/../../..")
scratch=$(mktemp -d)
pids=()
trap '[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}"; rm -rf "$scratch"' EXIT
packages=${3:-$scratch/packages}
mkdir -p "$packages" "$scratch/config" "$scratch/project"
packages=$(realpath "$packages")
(cd "$packages" && { [ -f package.json ] || npm init -y >/dev/null; } &&
  npm install --no-audit --no-fund --loglevel=error node@22 @modelcontextprotocol/conformance@0.1.16)
echo '{"mcp": {"enabled": true}}' >"$scratch/config/default.json"
cp -r "$root/tests/e2e/lsp/app/." "$scratch/project"
cd "$scratch"

# await_url LOG: the address that the program that was started last prints there
await_url() {
  until grep --no-messages -o 'http://127.0.0.1:[0-9]*' "$1"; do
    kill -0 "${pids[-1]}" || {
      cat "$1" >&2
      exit 1
    }
    sleep 0.1
  done
}

status=0
judge() { # judge NAME URL SCENARIO...
  local name=$1 url=$2 scenario
  shift 2
  for scenario in "$@"; do
    if "$packages/node_modules/.bin/node" "$packages/node_modules/.bin/conformance" server \
      --url "$url" --scenario "$scenario" >result 2>&1; then
      echo "$name, $scenario: passed"
    else
      echo "$name, $scenario: failed" >&2
      cat result >&2
      status=1
    fi
  done
}

"$server" --host 127.0.0.1 --port 0 >log 2>&1 &
pids+=($!)
url=$(await_url log)
judge endpoint "${url/127.0.0.1/localhost}/mcp" server-initialize ping tools-list tools-call-simple-text \
  tools-call-image tools-call-audio tools-call-error dns-rebinding-protection

cd project
node "$root/tests/e2e/mcp/http_bridge.mjs" "$fairway" mcp --cache-dir "$scratch/cache" -- -std=c++20 \
  "-I$root/runtime/include" >"$scratch/bridge" 2>&1 &
cd ..
pids+=($!)
url=$(await_url bridge)
judge 'fairway mcp' "$url" server-initialize ping tools-list
exit $status
