#!/usr/bin/env bash
# Prints a translation unit with the C++ snippets of documents, each in a function of its own, so that
# what the documents show compiles: docs_snippets.sh FILE...
set -euo pipefail
echo '#include <fairway/fairway.hpp>'
echo '#pragma GCC diagnostic ignored "-Wshadow"' # of snippets that register handlers
awk '
  /^```cpp$/ {
    printf "[[maybe_unused]] static void snippet_%d(", ++count
    print "[[maybe_unused]] fw::Router& app, [[maybe_unused]] fw::Request& req,"
    print "    [[maybe_unused]] fw::Response& res) {"
    printf "#line %d \"%s\"\n", FNR + 1, FILENAME
    inside = 1
    next
  }
  /^```$/ && inside { print "}"; inside = 0; next }
  inside { print }
' "$@"
