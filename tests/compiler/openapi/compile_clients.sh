#!/usr/bin/env bash
# Compiles all C++ clients of a folder in one translation unit: compile_clients.sh CXX FOLDER
set -euo pipefail
cxx=$1 folder=$2

read -ra httplib <<<"$(pkg-config --cflags cpp-httplib)"
for client in "$folder"/*_client.hpp; do printf '#include "%s"\n' "$client"; done |
  "$cxx" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
    -Wno-deprecated-declarations "${httplib[@]}" -x c++ -
