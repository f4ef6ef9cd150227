#!/usr/bin/env bash
# Installs what Fairway is built, tested and documented with: Debian packages, and the npm packages
# of tools/npm and tools/site. Does nothing, quickly, for what is already there; otherwise as root, or with sudo.
#   setup.sh [PACKAGE...]   these too
#   setup.sh --demo         only what tools/demo.sh builds with
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  cmake ninja-build pkg-config curl ca-certificates
  llvm-19-dev libclang-19-dev clang-19 libclang-cpp19-dev libclang-common-19-dev
  libfmt-dev nlohmann-json3-dev libcpp-httplib-dev libssl-dev libcurl4-openssl-dev libsqlite3-dev
  libsimdjson-dev libre2-dev libcli11-dev libyaml-cpp-dev libhiredis-dev libsodium-dev
  zlib1g-dev libbrotli-dev libzstd-dev libnghttp2-dev
)
is_demo=
if [ "${1:-}" = --demo ]; then
  is_demo=yes
  shift
else
  packages+=(
    g++ ccache git libclang-rt-19-dev clang-format-19 clang-tidy-19 shfmt
    doctest-dev libgtest-dev catch2 redis-server python3-h2 nghttp2-client
    libtest-json-schema-acceptance-perl chromium nginx postgresql libpqxx-dev doxygen
    groff dpkg-dev zsh fish
  )
  if ! command -v npm >/dev/null; then packages+=(nodejs npm); fi
fi
packages+=("$@")

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  echo "setup: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

if [ -n "$is_demo" ]; then exit; fi

# The lock file decides; a copy of it beside the modules tells whether they are current.
for folder in tools/npm tools/site; do
  if ! cmp -s $folder/package-lock.json $folder/node_modules/.installed-lock; then
    echo "setup: installing the npm packages of $folder"
    npm ci --prefix $folder --no-audit --no-fund --loglevel=error
    cp $folder/package-lock.json $folder/node_modules/.installed-lock
  fi
done
