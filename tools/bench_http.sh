#!/usr/bin/env bash
# Builds the servers of tests/bench/http with what only they need, and compares them. Flags are those
# of tests/bench/http/run.mjs:
#   tools/bench_http.sh                          all cases with 64 and 512 connections
#   tools/bench_http.sh --cases hello --rounds 9
#   tools/bench_http.sh growth                   routes, idle and active connections, sizes of bodies
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh

packages=(wrk libboost-dev libmicrohttpd-dev)
missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
fi
[ -d tests/bench/http/fastify/node_modules ] || npm ci --prefix tests/bench/http/fastify --no-audit --no-fund --loglevel=error

cmake --preset bench >/dev/null
cmake --build --preset bench --target bench_http_servers
program=run.mjs
if [ "${1:-}" = growth ]; then
  program=growth.mjs
  shift
fi
ulimit -n "$(ulimit -H -n)"
exec node "tests/bench/http/$program" --build build/bench "$@"
