# shellcheck shell=bash
# Tables and documents follow the compiler flags of each target.
cp -r "$here/flags" "$app"
table() { # table WHAT APPLICATION ROUTES [ARGUMENTS-OF-THE-BUILD...]
  step "$1"
  build --target "${2//\//_}_routes" "${@:4}"
  local routes
  routes=$(routes_in "$scratch/build/fairway/$2/app_table.cpp")
  [ "$routes" = "$3" ] || fail "$1: the table has '$routes', not '$3'"
}
debug="/flags/c++23 /flags/debug /flags/file /flags/generator-expression /flags/shell-option"
release="/flags/c++23 /flags/configuration /flags/file /flags/generator-expression /flags/shell-option"
of_release=(-DCMAKE_CXX_FLAGS_RELEASE="-DNDEBUG -DOF_THE_CONFIGURATION")
configure 'Ninja Multi-Config' "${of_release[@]}"
table 'Ninja Multi-Config, Debug' flags "$debug" --config Debug
table 'Ninja Multi-Config, Release' flags "$release" --config Release
table 'the same files in another target' again/again '/flags/again /flags/configuration /flags/file /flags/shell-option' --config Release
table 'a file of the same name' second/second '/flags/second' --config Release
# The start compares the table with what was compiled.
step "a program whose routes depend on its flags"
build --config Release --target flags
"$scratch/build/Release/flags" || fail "the table does not fit the program"

step "doctor finds each file's own command"
in_app doctor >/dev/null || fail "doctor: src"
(app=$app/second && in_app doctor >/dev/null) || fail "doctor: second/src"

step "--name chooses among applications with the same files"
expect_routes() { # expect_routes ROUTES ARGUMENTS...
  local found
  found=$(in_app routes --format json "${@:2}" 2>"$scratch/notes" |
    sed -n 's/.*"path": "\(.*\)".*/\1/p' | sort | xargs)
  [ "$found" = "$1" ] || {
    cat "$scratch/notes"
    fail "'$found' instead of '$1' with: ${*:2}"
  }
}
expect_routes "$debug"
grep -q "note: 'flags' and 'again' compile the files in '.*/src': they are parsed with the flags of 'flags'; choose" \
  "$scratch/notes" || fail "no note of the two applications"
expect_routes "$debug" --name flags
expect_routes '/flags/again /flags/debug /flags/file /flags/shell-option' --name again
title=$(in_app openapi --name again | sed -n 's/^ *"title": "\(.*\)".*/\1/p')
[ "$title" = again ] || fail "the title of the document is '$title', not the target"
in_app openapi --name second --source-dir second/src >"$scratch/second.json"
grep -qF '"title": "Say \"hi\" \\o/"' "$scratch/second.json" ||
  {
    head "$scratch/second.json"
    fail "the title of the document is not API_TITLE"
  }
[ ! -s "$scratch/notes" ] || fail "a note about a choice that was made"
expect_routes '/flags/second' --name second --source-dir second/src
doctor_fails() { # doctor_fails NAME TEXT
  local status=0
  in_app doctor --name "$1" >"$scratch/log" 2>&1 || status=$?
  [ "$status" -eq 2 ] || fail "doctor --name $1: exit status $status"
  grep -q -- "$2" "$scratch/log" || {
    cat "$scratch/log"
    fail "doctor --name $1: not reported: $2"
  }
}
doctor_fails agian "has no application or target 'agian'; it has 'flags', 'again' and 'second'$"
doctor_fails second "of 'second' are in '.*/second/src', not in '.*/app/src': specify that directory with --source-dir"

rm -rf "$scratch/build"
configure 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Release "${of_release[@]}"
table 'Makefiles, Release' flags "$release"
step "a changed flag changes the table"
cmake "$scratch/build" -DCMAKE_CXX_FLAGS_RELEASE= >/dev/null
table 'Makefiles, without flags' flags "$debug"
