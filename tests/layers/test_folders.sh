#!/usr/bin/env bash
# Whether the folders of tests are named as the rooms that they test: test_folders.sh TESTS TREE [TABLE]
#   * Each folder below TESTS that has files is a folder of TREE, by its path.
#   * Folders named support, golden and fixtures are part of the folder above them, with all that is below them.
#   * The table lists other folders, "folder: reason". What is below them is part of them. Each one has files, and is
#     no folder of TREE.
# Prints each violation.
set -euo pipefail
tests=$1
tree=$2
table=${3:-/dev/null}
{
  sed -E '/^(#|$)/d; s/^/listed /' "$table"
  find "$tree" -mindepth 1 -type d -printf 'room %P\n'
  find "$tests" -mindepth 2 -type f -printf '%P\n' | sed -E 's|/[^/]*$||; s/^/tests /' | sort -u
} | awk '
  function complain(text) { print text; bad = 1 }
  $1 == "listed" {
    name = $2
    if (sub(/:$/, "", name) == 0 || NF < 3) complain("not a folder with a reason: " substr($0, 8))
    listed[++count] = name
    is_listed[name] = 1
  }
  $1 == "room" { is_room[$2] = 1 }
  $1 == "tests" {
    ++read
    count_of_parts = split($2, parts, "/")
    folder = ""
    for (i = 1; i <= count_of_parts; ++i) {
      if (parts[i] ~ /^(support|golden|fixtures)$/) next
      folder = folder (i > 1 ? "/" : "") parts[i]
      if (folder in is_listed) {
        has_files[folder] = 1
        next
      }
    }
    if (!(folder in is_room)) complain(folder ": no room has this name")
  }
  END {
    for (i = 1; i <= count; ++i) {
      if (!(listed[i] in has_files)) complain(listed[i] ": is listed, but has no files")
      if (listed[i] in is_room) complain(listed[i] ": is listed, but is a room")
    }
    print "read " read + 0 " folders"
    exit bad || read == 0
  }'
