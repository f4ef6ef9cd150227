#!/usr/bin/env bash
# Makes the pictures of the documentation from the running product: pictures.sh [--check] FAIRWAY BUILD
# --check compares the terminal and the charts. The editor (apt-get install neovim tmux) and the pages of the browser are
# not made by it, because their screens change while they are looked at; of what they show, inputs.json has digests,
# which --check compares. The pages need a build with the orders sample and the package of the consumer tests (ctest -R
# consumer_install).
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
if [ -z "$check" ]; then
  node tools/pictures/pages.mjs "$build" docs/pictures
  node tools/pictures/inputs.mjs "$fairway" "$build" --write
else
  node tools/pictures/inputs.mjs "$fairway" "$build" || {
    echo "look at them: tools/pictures.sh $fairway $build makes them again" >&2
    exit 1
  }
fi
