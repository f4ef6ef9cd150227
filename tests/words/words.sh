#!/usr/bin/env bash
# Whether the texts of a tree use the standard words: words.sh TREE TABLE ALLOWED
# A row of the table is "PATTERN => INSTEAD", or "PATTERN => INSTEAD except PATTERN": extended regular
# expressions for whole words in any case. In C++ and JavaScript, only comments and strings are
# texts; a pattern with "_" is also for code. A row of ALLOWED is "FILE NAME: TEXT": a line of these
# files that contains the text is right as it is.
set -euo pipefail
cd "$1"
table=$2
allowed=$3

patterns=$(sed 's/ => .*//' "$table" | paste -sd '|')
find . \( -path ./.git -o -path ./build -o -path ./generated -o -path ./tests/words -o -path ./tests/fuzz/corpus \
  -o -path ./tests/conformance/cases -o -name node_modules \) -prune -o -type f \( -name '*.[ch]pp' -o -name '*.[ch]' \
  -o -name '*.mjs' -o -name '*.[jt]s' -o -name '*.sh' -o -name '*.cmake' -o -name '*.in' -o -name '*.md' -o -name '*.txt' \
  -o -name '*.wire' -o -path ./.ci/run \) -printf '%P\0' | sort -z |
  { xargs -0 grep -HniEw -- "$patterns" /dev/null || true; } | awk -v table="$table" -v allowed="$allowed" '
  BEGIN {
    while ((getline row < table) > 0) {
      split(row, parts, / => /)
      pattern[++count] = parts[1]
      instead[count] = parts[2]
      if (match(parts[2], / except /)) {
        instead[count] = substr(parts[2], 1, RSTART - 1)
        except[count] = substr(parts[2], RSTART + RLENGTH)
      }
    }
    while ((getline row < allowed) > 0) right[++rights] = row
  }
  # Comments and strings of a line of C++ or JavaScript.
  function texts(line,   all, quote) {
    if (line ~ /^[ \t]*(\/\/|\/?\*)/) return line
    while (match(line, /["`\047]|\/\//)) {
      quote = substr(line, RSTART, 1)
      if (quote == "/") return all " " substr(line, RSTART)
      line = substr(line, RSTART + 1)
      if (match(line, quote == "\"" ? "^([^\"\\\\]|\\\\.)*\"?" : "^[^" quote "]*" quote "?")) {
        all = all " " substr(line, 1, RLENGTH)
        line = substr(line, RLENGTH + 1)
      }
    }
    return all
  }
  function is_allowed(file, line,   i, at) {
    sub(/.*\//, "", file)
    for (i = 1; i <= rights; ++i) {
      at = index(right[i], ": ")
      if (substr(right[i], 1, at - 1) == file && index(line, substr(right[i], at + 2))) return 1
    }
    return 0
  }
  {
    match($0, /^[^:]*:[0-9]+:/)
    place = substr($0, 1, RLENGTH)
    line = substr($0, RLENGTH + 1)
    file = place
    sub(/:.*/, "", file)
    if (is_allowed(file, line)) next
    is_code = file ~ /\.([ch]pp|[ch]|mjs|[jt]s)$/
    for (i = 1; i <= count; ++i) {
      text = tolower(is_code && pattern[i] !~ /_/ ? texts(line) : line)
      if (i in except) gsub(except[i], "", text)
      if (text !~ "(^|[^a-z0-9_])(" pattern[i] ")([^a-z0-9_]|$)") continue
      sub(/^[ \t]+/, "", line)
      print place " " line
      print "  instead: " instead[i]
      ++found
    }
  }
  END { print found + 0 " lines to write again"; exit found > 0 }'
