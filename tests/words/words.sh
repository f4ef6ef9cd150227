#!/usr/bin/env bash
# Whether a tree uses the standard words: words.sh TREE TABLE ALLOWED
# A row of the table is "PATTERN => INSTEAD", or "PATTERN => INSTEAD except PATTERN": extended regular
# expressions for whole words in any case. All lines are searched, code too, and each identifier also as the
# words that it consists of: `hasGivenUp` and `has_given_up` are "has given up". Where a sentence goes from one
# line to the next, in comments, strings and pages, the words around its break are searched, too. A row of ALLOWED
# is "FILE NAME: TEXT": a line of these files that contains the text is right as it is.
set -euo pipefail
cd "$1"
table=$2
allowed=$3

# Finds the lines that awk then searches: more than those that are wrong, because no border of a word counts.
patterns=$(sed 's/ => .*//; s/ /[ _]?/g' "$table" | paste -sd '|')
sources() {
  find . \( -path ./.git -o -path ./build -o -path ./generated -o -path ./tests/words -o -path ./tests/fuzz/corpus \
    -o -path ./tests/conformance/cases -o -name node_modules \) -prune -o -type f \( -name '*.[ch]pp' -o -name '*.[ch]' \
    -o -name '*.mjs' -o -name '*.[jt]s' -o -name '*.mts' -o -name '*.sh' -o -name '*.cmake' -o -name '*.in' -o -name '*.md' \
    -o -name '*.txt' -o -name '*.html' -o -name '*.css' -o -name '*.yml' -o -name '*.yaml' -o -name '*.py' -o -name '*.lua' \
    -o -name '*.wire' -o -name .clang-tidy -o -name Dockerfile -o -path ./.ci/run \) -printf '%P\0' | sort -z
}

# Prints the words around the breaks of sentences: the last four of a line, the first four of the next one, and
# after \001 the length of the former.
# shellcheck disable=SC2016
breaks='
  function words_of(text, from_end,   count, words, first, last, all, i) {
    count = split(text, words, /[ \t]+/)
    first = from_end && count > 4 ? count - 3 : 1
    last = !from_end && count > 4 ? 4 : count
    for (i = first; i <= last; ++i) all = all (i > first ? " " : "") words[i]
    return all
  }
  FNR == 1 { kind = "" }
  {
    line = $0
    gsub(/^[ \t]+|[ \t]+$/, "", line)
    begins = ends = ""
    if (FILENAME ~ /\.(md|html)$/) {
      # Rows of tables, headings, code and items begin a sentence.
      if (line !~ /^([|#*>`-]|[0-9]+\.|$)/) begins = "prose"
      if (line !~ /^([|#`]|$)/) ends = "prose"
    } else if (match(line, /^(\/\/[\/!]?<?|#|\*|<!--)[ \t]+/)) {
      begins = ends = "comment"
      line = substr(line, RSTART + RLENGTH)
    } else {
      if (line ~ /^"/) begins = "string"
      if (match(line, /\/\/[\/!]?<?[ \t]+/)) {
        line = substr(line, RSTART + RLENGTH)
        ends = "comment"
      } else if (line ~ /"$/) {
        ends = "string"
      }
    }
    if (begins != "" && begins == kind) {
      head = line
      sub(/^"[ \t]*/, "", head)
      printf "%s:%d:%s %s\001%d\n", FILENAME, FNR - 1, tail, words_of(head, 0), length(tail)
    }
    kind = ends
    if (kind == "string") sub(/[ \t]*"$/, "", line)
    tail = words_of(line, 1)
  }'

{
  sources | xargs -0 grep -HniE -- "$patterns" /dev/null || true
  sources | xargs -0 awk "$breaks" /dev/null | grep -iaE -- "$patterns" || true
} | awk -v table="$table" -v allowed="$allowed" '
  BEGIN {
    while ((getline row < table) > 0) {
      split(row, parts, / => /)
      pattern[++count] = "(^|[^a-z0-9_])(" parts[1] ")([^a-z0-9_]|$)"
      instead[count] = parts[2]
      if (match(parts[2], / except /)) {
        instead[count] = substr(parts[2], 1, RSTART - 1)
        except[count] = substr(parts[2], RSTART + RLENGTH)
      }
    }
    while ((getline row < allowed) > 0) right[++rights] = row
  }
  # The identifiers of a line that have several words, as these words.
  function identifiers(line,   all, name) {
    while (match(line, /[A-Za-z0-9_]+/)) {
      name = substr(line, RSTART, RLENGTH)
      line = substr(line, RSTART + RLENGTH)
      if (name !~ /_|[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/) continue
      gsub(/[A-Z][a-z]/, " &", name)
      gsub(/[ _]+/, " ", name)
      all = all "|" name
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
  function is_wrong(i, line,   text) {
    text = tolower(line identifiers(line))
    if (i in except) gsub(except[i], "", text)
    return text ~ pattern[i]
  }
  {
    match($0, /^[^:]*:[0-9]+:/)
    place = substr($0, 1, RLENGTH)
    line = substr($0, RLENGTH + 1)
    file = place
    sub(/:.*/, "", file)
    half = 0
    if (at = index(line, "\001")) {
      half = substr(line, at + 1)
      line = substr(line, 1, at - 1)
    }
    if (is_allowed(file, line)) next
    for (i = 1; i <= count; ++i) {
      if (!is_wrong(i, line)) continue
      if (half && (is_wrong(i, substr(line, 1, half)) || is_wrong(i, substr(line, half + 2)))) continue
      sub(/^[ \t]+/, "", line)
      print place " " line
      print "  instead: " instead[i]
      ++found
    }
  }
  END { print found + 0 " lines to write again"; exit found > 0 }'
