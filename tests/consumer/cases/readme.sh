# shellcheck shell=bash
# The project of docs/existing-project.md, as printed.
# It has the blocks of README.md: a block whose first line names a file is that file. A second block for the same
# file is an alternative, "<file>.2".
mkdir -p "$app"/{src/routes,tests,cli}
awk -v app="$app" '
    /^```/ { inside = !inside; first = inside; file = ""; next }
    first && ($1 == "//" || $1 == "#") && $2 ~ /\.(cpp|ts|txt)$/ {
      file = app "/" $2
      if (++blocks[file] > 1) file = file "." blocks[file]
    }
    { first = 0 }
    file { print > file }' "$source/docs/existing-project.md"
(cd "$app" && find . -type f | sort)
configure Ninja
step "doctor, before the first build"
(cd "$app" && "$fairway" doctor -p "$scratch/build" --strict)
rm -r "$scratch/build"

step "a library, a program, a test and a client, with nothing built before"
mv "$app/CMakeLists.txt.2" "$app/CMakeLists.txt"
configure Ninja
build --target my-cli
build
(cd "$scratch/build" && ctest --output-on-failure)
! nm -C "$scratch/build/my-cli" | grep ' fw::' || fail "the client links the framework"

step "the client in TypeScript"
cp "$scratch/build/fairway/app/client/app.ts" "$app/cli/"
node "$source/tools/npm/node_modules/typescript/bin/tsc" --noEmit --strict --target es2022 --module esnext \
  --moduleResolution bundler --lib es2022,dom "$app/cli/main.ts"

step "the document of README.md"
excerpt=$(sed -n '/^# openapi.yaml/,/^```/ { /^[#`]/d; s/^/    /; p }' "$source/README.md")
[ -n "$excerpt" ] || fail "README.md shows nothing of the document"
document=$(in_app openapi --format yaml)
[[ $document == *"$excerpt"* ]] || fail "README.md shows another document than $document"
