#!/usr/bin/env bash
# Compares Fairway with other C++ frameworks:
#   tools/bench_peers.sh SOURCES [FLAGS of tests/bench/http/run.mjs]
#   tools/bench_peers.sh SOURCES --rounds 9 --json tests/bench/http/peers.json
#   tools/bench_peers.sh SOURCES --cases hello:64,order:64 --rounds 3 --seconds 1
#
# SOURCES is a directory with the sources of the frameworks, each in a folder with its name; those that are
# there take part. Nothing is downloaded. It has been run with
#   drogon         v1.9.13, with its submodule trantor    github.com/drogonframework/drogon
#   Crow           v1.3.3                                 github.com/CrowCpp/Crow
#   oatpp          1.3.1                                  github.com/oatpp/oatpp
#   oatpp-openssl  1.3.0, for the case tls                github.com/oatpp/oatpp-openssl
#   oatpp-zlib     1.3.0, for the case compressed         github.com/oatpp/oatpp-zlib
#   glaze          v6.4.0, the last for GCC 12            github.com/stephenberry/glaze
#   uWebSockets    v20.79.0, with its submodule uSockets  github.com/uNetworking/uWebSockets
#   userver        v2.4                                   github.com/userver-framework/userver
# Debian's packages that they need: libssl-dev zlib1g-dev; libjsoncpp-dev uuid-dev libc-ares-dev libbrotli-dev
# (Drogon); libasio-dev (Crow, glaze); libboost-filesystem-dev libboost-iostreams-dev libboost-locale-dev
# libboost-program-options-dev libboost-regex-dev libboost-stacktrace-dev libc-ares-dev libcctz-dev libcrypto++-dev
# libcurl4-openssl-dev libev-dev libfmt-dev libjemalloc-dev libnghttp2-dev libyaml-cpp-dev libzstd-dev libgtest-dev
# libbenchmark-dev (userver, whose build takes 45 minutes of a processor); and for the load wrk, and h2load and nghttpd
# of nghttp2-client and nghttp2-server.
#
# Settings: release builds with GCC and CMake's flags, two threads that serve (BENCH_THREADS), no access log
# except in Fairway. docs/speed.md lists the rest. The responses of each server are checked before the load; one
# whose responses are wrong, or that lacks what the case needs, is left out of it, and the reason is printed.
# Compiled by GCC, glaze 6.4.0 waits for ever for a body that has not arrived with its head, and is left out of the
# POSTs.
# The tables are printed; --json writes the figures of all rounds, from a checkout without changes only, because they name
# the commit; and
#   node tools/pictures/chart.mjs tests/bench/http/peers.json docs/pictures/peers.svg
# draws them, processor time per request.
set -euo pipefail
if [ $# -eq 0 ] || [ ! -d "$1" ]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
sources=$(realpath "$1")
shift
cd "$(dirname "$0")/.."
installed=$PWD/build/peers/installed

# The figures that --json keeps name a commit, which must have been what was measured; of the file itself, an earlier run
# may have written another version.
kept=
for ((i = 1; i <= $#; ++i)); do
  case ${!i} in
  --json) kept=${*:i+1:1} ;;
  --json=*) kept=${!i#--json=} ;;
  esac
done
if [ -n "$kept" ]; then
  inputs=(.)
  path=$(realpath -m --relative-to=. "$kept")
  if [[ $path != ../* ]]; then inputs+=(":(exclude)$path"); fi
  changed=$(git status --porcelain -- "${inputs[@]}") || {
    echo "bench_peers: --json needs a checkout of git, because the figures name its commit" >&2
    exit 1
  }
  if [ -n "$changed" ]; then
    printf 'bench_peers: --json names the commit that was measured, and these files differ from it:\n%s\n' "$changed" >&2
    exit 1
  fi
fi

for program in wrk h2load openssl cmake ninja node; do
  command -v "$program" >/dev/null || {
    echo "bench_peers: $program is missing" >&2
    exit 1
  }
done

# install NAME [FLAGS]: builds and installs a library with the flags that its documentation has for releases.
install() {
  local name=$1
  shift
  [ -d "$sources/$name" ] || return 0
  cmake -G Ninja -S "$sources/$name" -B "build/peers/$name" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$installed" -DCMAKE_PREFIX_PATH="$installed" "$@" >/dev/null
  cmake --build "build/peers/$name" --target install >/dev/null
}
install drogon -DBUILD_CTL=OFF -DBUILD_EXAMPLES=OFF -DBUILD_ORM=OFF
install oatpp -DOATPP_BUILD_TESTS=OFF -DOATPP_DISABLE_ENV_OBJECT_COUNTERS=ON
install oatpp-openssl -DOATPP_BUILD_TESTS=OFF
install oatpp-zlib -DOATPP_BUILD_TESTS=OFF
install userver -DUSERVER_INSTALL=ON -DUSERVER_DOWNLOAD_PACKAGES=OFF -DUSERVER_FEATURE_UTEST=OFF \
  -DUSERVER_FEATURE_CHAOTIC=OFF -DUSERVER_FEATURE_TESTSUITE=OFF -DCMAKE_MODULE_PATH="$PWD/tests/bench/http/userver"

flags=("-DFAIRWAY_BENCH_PREFIX=$installed")
include() { # include VARIABLE FOLDER: a library that is compiled with its server
  if [ -d "$sources/$2" ]; then flags+=("-D$1=$sources/$2"); fi
}
include FAIRWAY_BENCH_CROW Crow/include
include FAIRWAY_BENCH_GLAZE glaze/include
include FAIRWAY_BENCH_UWEBSOCKETS uWebSockets
cmake --preset bench "${flags[@]}" >/dev/null
cmake --build --preset bench --target bench_http_servers

dirty=(--dirty)
if [ -n "$kept" ]; then dirty=(); fi
versions="fairway $(git describe --tags --always "${dirty[@]}" 2>/dev/null || true)"
for name in drogon Crow oatpp oatpp-openssl oatpp-zlib glaze uWebSockets userver; do
  [ ! -e "$sources/$name/.git" ] || versions+=", $name $(git -C "$sources/$name" describe --tags --always)"
done
ulimit -n "$(ulimit -H -n)"
exec node tests/bench/http/run.mjs --build build/bench --versions "$versions" \
  --servers fairway,typed,bare,nghttpd,drogon,crow,oatpp,glaze,uwebsockets,userver \
  --cases hello:64:512:4096,short:64,user:64,order:64:512,upload:64,static:64,compressed:64,tls:64,http2:64 "$@"
