#!/usr/bin/env bash
# Makes the pictures of the documentation from the running product: pictures.sh [--check] FAIRWAY BUILD
# The terminal and the charts are compared by --check. The editor (apt-get install neovim tmux) and the pages of the
# browser are only made, because their screens change while they are looked at: the pages in a build with the orders
# sample and the package of the consumer tests (ctest -R consumer_install).
set -euo pipefail
check=
if [ "${1:-}" = --check ]; then
  check=yes
  shift
fi
if [ $# -ne 2 ]; then
  echo "usage: tools/pictures.sh [--check] FAIRWAY BUILD" >&2
  exit 2
fi
fairway=$(realpath "$1")
build=$(realpath "$2")
cd "$(dirname "$0")/.."
root=$PWD

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd tools/pictures && node terminal.mjs "$scratch/diagnostics.svg" '$ fairway doctor' "$fairway" doctor \
  --no-config --color=always --cache-dir "$scratch/cache" --source-dir src -- -std=c++20 "-I$root/runtime/include")
node tools/pictures/chart.mjs tests/bench/http/peers.json "$scratch/speed.svg" hello:64 order:64
node tools/pictures/chart.mjs tests/bench/http/peers.json "$scratch/peers.svg"
pictures=(diagnostics.svg speed.svg peers.svg)
if [ -z "$check" ]; then
  node tools/pictures/terminal.mjs "$scratch/editor.svg" 'orders.cpp: nvim' \
    tools/pictures/editor/screen.sh "$fairway" "$root/runtime/include"
  pictures+=(editor.svg)
fi
for picture in "${pictures[@]}"; do
  if [ -z "$check" ]; then
    cp "$scratch/$picture" "docs/pictures/$picture"
  elif ! diff "docs/pictures/$picture" "$scratch/$picture"; then
    echo "docs/pictures/$picture is not what the program shows: run tools/pictures.sh $fairway $build" >&2
    exit 1
  fi
done
if [ -z "$check" ]; then node tools/pictures/pages.mjs "$build" docs/pictures; fi
