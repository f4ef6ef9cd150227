#!/usr/bin/env bash
# Prints the screen of an editor with the language server, with ANSI colours: screen.sh FAIRWAY HEADERS
# It opens a file with mistakes, and completes the type of a field. Neovim 0.7 in tmux, of Debian 12.
set -euo pipefail
FAIRWAY=$1
HEADERS=$2
folder=$(dirname "$(realpath "$0")")
CACHE=$(mktemp -d)
export FAIRWAY HEADERS CACHE LC_ALL=C.UTF-8 XDG_CACHE_HOME=$CACHE
terminal() { tmux -S "$CACHE/terminal" -u -f /dev/null "$@"; }
trap 'terminal kill-server 2>/dev/null || true; rm -rf "$CACHE"' EXIT

# Waits until the screen has a text that only the server knows.
await() {
  for ((attempt = 0; attempt < 1200; ++attempt)); do
    if terminal capture-pane -p | grep -qF "$1"; then return; fi
    sleep 0.1
  done
  echo "screen.sh: the editor does not show '$1':" >&2
  terminal capture-pane -p >&2
  exit 1
}

cd "$folder/.."
terminal new-session -d -x 112 -y 25 "TERM=screen nvim --clean -u '$folder/init.lua' src/routes/orders.cpp"
await "there is no middleware 'adit'"
terminal send-keys '10Gf"lct:i' C-x C-o
await 'an integer'
await "unknown type 'i'"
terminal capture-pane -e -N -p
