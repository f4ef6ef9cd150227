#!/usr/bin/env bash
# Whether the folders of a tree include only headers of the folders that its table of layers allows:
#   includes.sh TREE TABLE
# A row of the table is "FOLDER: FOLDER ...": a folder and those whose headers it may include, each of
# which has a row above. Prints each other include with its file and line.
set -euo pipefail
tree=$1
table=$2

# Prints what is wrong with the table itself, then file:line:include for each include of our own.
folders=$(cd "$tree" && find . -mindepth 2 \( -name '*.cpp' -o -name '*.hpp' \) -printf '%P\n' | cut -d/ -f1 | sort -u)
{
  sed 's/^/row /' "$table"
  for folder in $folders; do echo "folder $folder"; done
  cd "$tree"
  grep -rnE '^ *# *include "' --include='*.cpp' --include='*.hpp' $folders | sed 's/^/include /'
} | awk '
  $1 == "row" {
    name = $2
    if (sub(/:$/, "", name) == 0) { print "not a row of layers: " $0; bad = 1; next }
    known[name] = 1
    for (i = 3; i <= NF; ++i) {
      if (!($i in known)) { print name " may include " $i ", which has no row above"; bad = 1 }
      allowed[name, $i] = 1
    }
  }
  $1 == "folder" && !($2 in known) { print $2 " has no row"; bad = 1 }
  $1 == "include" {
    from = $2
    sub(/\/.*/, "", from)
    to = $0
    sub(/^[^"]*"/, "", to)
    sub(/".*/, "", to)
    ++read
    if (sub(/\/.*/, "", to) == 0 || to == from || (from, to) in allowed) next
    if (!(to in known)) next  # a folder in its own folder
    print substr($0, 9)
    bad = 1
  }
  END { print "read " read " includes"; exit bad || read == 0 }'
