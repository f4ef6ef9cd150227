#!/usr/bin/env bash
# Builds the servers of tests/bench/http with what only they need, and compares them. It has the flags
# of tests/bench/http/run.mjs:
#   tools/bench_http.sh                          all cases with 64 and 512 connections
#   tools/bench_http.sh --cases hello --rounds 9
#   tools/bench_http.sh protections              CORS, headers, rate limit, sessions in memory and Redis
#   tools/bench_http.sh outbound                 fetch and proxy against undici, libcurl, nginx, Fastify
#   tools/bench_http.sh growth                   routes, idle and active connections, sizes of bodies
#   tools/bench_http.sh caching                  cache hits, 304 and files, against GET and nginx
#   tools/bench_http.sh pages                    pages against Fastify's mustache view and a file
#   tools/bench_http.sh transport                HTTP/2, TLS and handshakes, against nghttpd and nginx
#   tools/bench_http.sh floods                   what attacks over HTTP/2 and TLS cost
#   tools/bench_http.sh restarts                 requests while certificates, workers and processes are replaced
#
# tools/bench_peers.sh compares with frameworks of which Debian has no packages. Once it has configured the build, they
# take part here, too.
# tests/bench/http/steadiness.mjs compares fresh processes of one server under 512 connections.
set -euo pipefail
if [ "${1:-}" = --help ]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
  exit
fi
cd "$(dirname "$0")/.."
tools/setup.sh

packages=(wrk libboost-dev libmicrohttpd-dev nghttp2-server)
missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
fi
for folder in tests/bench/http/fastify tests/bench/outbound/node; do
  npm ls --prefix "$folder" >/dev/null 2>&1 || npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error
done

cmake --preset bench >/dev/null
program=tests/bench/http/run.mjs
target=bench_http_servers
case ${1:-} in
growth | protections | caching | pages | transport | floods | restarts)
  program=tests/bench/http/$1.mjs
  shift
  ;;
outbound)
  program=tests/bench/outbound/run.mjs
  target=bench_outbound_programs
  shift
  ;;
esac
cmake --build --preset bench --target "$target"
ulimit -n "$(ulimit -H -n)"
exec node "$program" --build build/bench "$@"
