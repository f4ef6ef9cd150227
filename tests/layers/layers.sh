#!/usr/bin/env bash
# Whether a tree keeps the rules of its table of layers: layers.sh TREE TABLE [OTHER_TREE]...
#   * A file includes only headers of its own folder and of the folders in its row, by their paths in the tree.
#   * An included header is one of the tree, or of a folder of another tree that the table lists. Without a folder,
#     it is one that the build makes. Only headers of libraries and public headers are in angle brackets.
#   * A public header, which is one of fairway/, has a row, and is included only from its layer on.
#   * A type that a file only declares is defined in a folder whose headers it may include, unless the table lists
#     the type. Public headers may declare all, as they include nothing of what implements them.
#   * Each folder of a row is one that an include or a declaration of the row's files needs.
#   * A header of a library that the table lists is included only in its folders.
#   * A namespace is one of the folder's row. NAMESPACE alone is for definitions of what public headers declare:
#     the row has it, or it is in a source of a folder with NAMESPACE::detail.
#   * A header has no namespace outside NAMESPACE, except those that the table lists and a header needs,
#     and no declaration outside of namespaces, except of types of C and of specializations of templates.
#   * No two headers have one name, headers of exceptions included, and no two sources of the program.
# The table:
#   namespace fw             the namespace of the whole tree
#   foreign clang            namespaces of libraries whose types headers declare
#   except scaffold/templates
#                            files that are not part of the program; only the names of their headers are checked
#   other base schema        folders of another tree whose headers every file may include
#   library clang: frontend  a library, and the folders that may include its headers, <clang/…> or <clang.h>;
#                            folders within them may, too
#   public fairway/app: app  a public header, and the first folder that may include it
#   declares low/header.hpp: Type
#                            types of higher folders that a file declares
#   store fw::detail: base http
#                            a folder, its namespaces, separated by commas, if it is not NAMESPACE::FOLDER,
#                            and the folders whose headers it may include: each has a row above
# A folder without a row belongs to the row of a folder above it. Prints each violation with its file and
# line.
set -euo pipefail
tree=$1
table=$2
shift 2

except=$(sed -n 's/^except //p' "$table")
all=$(cd "$tree" && find . \( -name '*.cpp' -o -name '*.hpp' \) -printf '%P\n' | sort)
pattern="^(${except//$'\n'/|}${except:+|}-)"
files=$(grep -vE "$pattern" <<<"$all" || true)
{
  sed -E '/^(#|except |$)/d; s/^/row /' "$table"
  for file in $files; do echo "file $file"; done
  # Who searches for a header, or includes it by its name, finds these, too.
  for file in $(grep -E "$pattern" <<<"$all" | grep '\.hpp$' || true); do echo "excepted $file"; done
  for other in "$@"; do find "$other" -name '*.hpp' -printf 'other %P\n'; done
  cd "$tree"
  # shellcheck disable=SC2086
  grep -nE '^ *# *include ["<]|^[A-Za-z_]|^\}$|^\}  // namespace' /dev/null $files | sed 's/^/line /'
} | awk '
  function complain(text) { print text; bad = 1 }
  function may_include(room, target) {
    used[room, target] = 1
    return (room, target) in allowed
  }
  # The name of the type that a line declares or defines at the top of a namespace; "" if there is none.
  function type_of(text) {
    if (text !~ /^(class|struct|enum) /) return ""
    sub(/^(enum class|enum struct|class|struct|enum) +/, "", text)
    if (text !~ /^[A-Za-z_0-9]+(<.*>)?( final)?( *:[^:].*| *\{.*|;)?$/) return ""
    sub(/[^A-Za-z_0-9].*/, "", text)
    return text
  }
  # A public header belongs to its own layer.
  function layer_of(path,   name) {
    if (path !~ /^include\//) return row_of(path)
    name = path
    sub(/^include\//, "", name)
    sub(/\.hpp$/, "", name)
    return first[name]
  }
  # The row of a file or header: of the nearest folder that has one.
  function row_of(path) {
    while (sub(/\/[^\/]*$/, "", path)) if (path in known) return path
    return ""
  }
  $1 == "row" && $2 == "namespace" { root = $3; next }
  $1 == "row" && $2 == "foreign" {
    for (i = 3; i <= NF; ++i) is_foreign[$i] = 1
    next
  }
  $1 == "row" && $2 == "other" {
    for (i = 3; i <= NF; ++i) is_other[$i] = 1
    next
  }
  $1 == "row" && $2 == "library" {
    name = $3
    sub(/:$/, "", name)
    is_library[name] = 1
    for (i = 4; i <= NF; ++i) {
      if (row_of($i "/") == "") complain("library " name ": " $i " has no row above")
      may_use[name, $i] = 1
      permissions_of_libraries[++libraries] = name SUBSEP $i
    }
    next
  }
  $1 == "row" && $2 == "declares" {
    file = $3
    sub(/:$/, "", file)
    for (i = 4; i <= NF; ++i) may_declare[file, $i] = 1
    next
  }
  $1 == "row" && $2 == "public" {
    name = $3
    sub(/:$/, "", name)
    first[name] = $4
    next
  }
  $1 == "row" {
    name = $2
    start = 3
    if (sub(/:$/, "", name) == 0) {
      space = $3
      start = 4
      if (sub(/:$/, "", space) == 0) { complain("not a row of layers: " $0); next }
    } else {
      space = name
      sub(/.*\//, "", space)
      space = root "::" space
    }
    known[name] = 1
    spaces[name] = space
    for (i = start; i <= NF; ++i) {
      if (!($i in known)) complain(name " may include " $i ", which has no row above")
      allowed[name, $i] = 1
      permissions[++granted] = name SUBSEP $i
    }
    next
  }
  $1 == "file" && row_of($2) == "" { complain($2 ": its folder has no row") }
  $1 == "file" && $2 ~ /^include\/.*\.hpp$/ {
    name = $2
    sub(/^include\//, "", name)
    sub(/\.hpp$/, "", name)
    if (!(name in first)) complain($2 ": has no row: public " name ": FOLDER")
  }
  $1 == "file" || $1 == "excepted" {
    name = $2
    sub(/.*\//, "", name)
    if (name in named) complain($2 ": has the name of " named[name])
    named[name] = $2
    paths[$2] = 1
    next
  }
  $1 == "other" {
    of_other_tree[$2] = 1
    next
  }
  $1 == "line" {
    split($2, place, ":")
    room = row_of(place[1])
    ++read
    if (room == "") next
    text = substr($0, index($0, $2))
    sub(/^[^:]*:[0-9]*:/, "", text)
    at = place[1] ":" place[2] ":"
    if (place[1] != last_file) { last_file = place[1]; depth = 0 }
    if (text ~ /^namespace .*\{$/) {
      opened = text
      gsub(/^namespace *| *\{$/, "", opened)
      if (opened == "") opened = "(unnamed)"
      if (depth && index(opened "::", root "::") != 1) opened = within[depth] "::" opened
      within[++depth] = opened
      begun[depth] = place[2]
    } else if (depth && (text ~ /^\}  \/\/ namespace/ || (text == "}" && place[2] <= begun[depth] + 2))) {
      --depth  # the end of a namespace of one line has no comment
    }
    own_space = depth ? within[depth] : ""
    type = type_of(text)
    if (type != "" && own_space !~ /\(unnamed\)/ && index(own_space "::", root "::") == 1) {
      if (text !~ /;$/ || text ~ /[{}]/) definition[own_space "::" type] = place[1]
      else if (place[1] !~ /^include\//) {
        declared[++declarations] = own_space "::" type
        declared_in[declarations] = place[1]
        declared_at[declarations] = at text
      }
    }
    if (text == "}") {
      inside_foreign = ""
      next
    }
    if (text ~ /^[A-Za-z_]/ && text !~ /^namespace /) {
      is_outside = inside != place[1] && inside_foreign != place[1]
      if (text ~ /^(extern )?template |^struct ([A-Za-z0-9_]+;$|[a-z_]+::)/) next
      if (is_outside && place[1] ~ /\.hpp$/) complain(at text " (not in a namespace)")
      next
    }
    if (text ~ /^(namespace|\}) /) {
      space = text
      sub(/^.*namespace +/, "", space)
      sub(/ .*/, "", space)
      if (text ~ /=/) next
      is_own = index(space "::", root "::") == 1
      if (text ~ /^\}/) {
        if (is_own) inside = ""
        inside_foreign = ""
        next
      }
      if (!is_own) {  # one in an own namespace is nested
        if (inside == place[1] || place[1] !~ /\.hpp$/) next
        inside_foreign = place[1]
        is_needed[space] = 1
        if (!(space in is_foreign)) complain(at text " (not in " root ")")
        next
      }
      inside = place[1]
      count = split(spaces[room], own, ",")
      is_source = place[1] ~ /\.cpp$/
      for (i = 1; i <= count; ++i) {
        if (space == own[i] || (own[i] != root && index(space, own[i] "::") == 1)) next
        if (space == root && is_source && own[i] == root "::detail") next
      }
      complain(at text " (the namespace is " spaces[room] ")")
      next
    }
    to = text
    sub(/^[^"<]*["<]/, "", to)
    sub(/[">].*/, "", to)
    if (text ~ /</ && to in of_other_tree) { complain(at text " (not of a library)"); next }
    if (text ~ /</ && row_of(to) == "") {
      library = to
      sub(/[\/.].*/, "", library)
      if (library in is_library) {
        folder = place[1]
        while (sub(/\/[^\/]*$/, "", folder)) {
          if (!((library, folder) in may_use)) continue
          used[library, folder] = 1
          next
        }
        complain(at text " (not in a folder that uses " library ")")
        next
      }
      if (to !~ /^fairway\//) next
      sub(/\.hpp$/, "", to)
      if (!(to in first)) { complain(at text " (has no row)"); next }
      if (room == "include") {  # a public header belongs to its own layer
        room = place[1]
        sub(/^include\//, "", room)
        sub(/\.hpp$/, "", room)
        room = first[room]
      }
      if (room == first[to] || may_include(room, first[to])) next
      complain(at text " (from " first[to] " on)")
      next
    }
    target = row_of(to)
    beside = place[1]
    sub(/[^\/]*$/, to, beside)
    if (to ~ /(^|\/)\.\.\// || beside in paths) { complain(at text " (not by its path in the tree)"); next }
    if (!(to in paths) && to ~ /\//) {
      folder = to
      sub(/\/[^\/]*$/, "", folder)
      if (folder in is_other) is_needed[folder] = 1
      else complain(at text " (not of the tree)")
      next
    }
    if (target == "" || target == room || may_include(room, target)) next
    complain(at text)
  }
  END {
    for (i = 1; i <= declarations; ++i) {
      file = declared_in[i]
      if (!(declared[i] in definition)) {
        complain(declared_at[i] " (defined nowhere)")
        continue
      }
      where = definition[declared[i]]
      room = row_of(file)
      target = layer_of(where)
      if (room == target || may_include(room, target)) continue
      name = declared[i]
      sub(/.*::/, "", name)
      is_needed[file, name] = 1
      if (!((file, name) in may_declare)) complain(declared_at[i] " (of " where ")")
    }
    for (pair_of_names in may_declare) {
      if (pair_of_names in is_needed) continue
      split(pair_of_names, pair, SUBSEP)
      complain("declares " pair[1] ": need not declare " pair[2])
    }
    for (name in first) if (!(first[name] in known)) complain("public " name ": " first[name] " has no row")
    for (name in is_foreign) if (!(name in is_needed)) complain("foreign " name ": no header has it")
    for (name in is_other) if (!(name in is_needed)) complain("other " name ": no include needs it")
    for (i = 1; i <= granted; ++i) {
      split(permissions[i], pair, SUBSEP)
      if (!(permissions[i] in used)) complain(pair[1] ": no include needs " pair[2])
    }
    for (i = 1; i <= libraries; ++i) {
      split(permissions_of_libraries[i], pair, SUBSEP)
      if (!(permissions_of_libraries[i] in used)) complain("library " pair[1] ": no include needs " pair[2])
    }
    print "read " read " lines"
    exit bad || read == 0
  }'
