#!/usr/bin/env bash
# The official conformance suite of the Model Context Protocol against the endpoint of an application, with
# the scenarios for what it offers: tools. The suite needs a newer Node than Debian 12 has, which npm has, too.
# Usage: conformance.sh SERVER [FOLDER], which keeps the packages for the next run.
set -euo pipefail
server=$(realpath "$1")
scenarios=(server-initialize ping tools-list tools-call-simple-text tools-call-image tools-call-audio
  tools-call-error dns-rebinding-protection)

scratch=$(mktemp -d)
trap '[ -z "${pid:-}" ] || kill "$pid"; rm -rf "$scratch"' EXIT
packages=${2:-$scratch/packages}
mkdir -p "$packages" "$scratch/config"
(cd "$packages" && { [ -f package.json ] || npm init -y >/dev/null; } &&
  npm install --no-audit --no-fund --loglevel=error node@22 @modelcontextprotocol/conformance@0.1.16)
echo '{"mcp": {"enabled": true}}' >"$scratch/config/default.json"
cd "$scratch"
"$server" --host 127.0.0.1 --port 0 >log 2>&1 &
pid=$!
until url=$(grep -o 'http://127.0.0.1:[0-9]*' log); do
  kill -0 "$pid" || {
    cat log >&2
    exit 1
  }
  sleep 0.1
done
status=0
for scenario in "${scenarios[@]}"; do
  if "$packages/node_modules/.bin/node" "$packages/node_modules/.bin/conformance" server \
    --url "${url/127.0.0.1/localhost}/mcp" --scenario "$scenario" >result 2>&1; then
    echo "$scenario: passed"
  else
    echo "$scenario: failed" >&2
    cat result >&2
    status=1
  fi
done
exit $status
