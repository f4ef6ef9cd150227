#!/usr/bin/env bash
# Compiles every fifth C++ client of a folder, and the one with C++ types, together (all would take a minute): compile_clients.sh CXX FOLDER
set -euo pipefail
cxx=$1 folder=$2

read -ra httplib <<<"$(pkg-config --cflags cpp-httplib)"
for client in "$folder"/*[05]_client.hpp "$folder"/typed_client.hpp; do printf '#include "%s"\n' "$client"; done |
  "$cxx" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
    -Wno-deprecated-declarations "${httplib[@]}" -x c++ -
