# shellcheck shell=bash
# What a second build does after a change.
cp -r "$here/app" "$app"
configure_preprocessing Ninja
build
table=$scratch/build/fairway/consumer/app_table.cpp

step "nothing changed: nothing runs"
build | tee "$scratch/log"
grep -q 'no work to do' "$scratch/log" || fail "a second build has work to do"

step "a handler's body changed: the table stays"
before=$(stat -c %Y.%y "$table")
sed -i 's/value_or(1)/value_or(3)/' "$app/src/routes/notes.cpp"
build
[ "$before" = "$(stat -c %Y.%y "$table")" ] || fail "the table was written again"

step "a constant that a route path uses changed: the table follows"
sed -i 's|kListPath = "/"|kListPath = "/all"|' "$app/src/limits.hpp"
build
grep -q '"/notes/all"' "$table" || fail "the table does not have the new path"

step "the document follows the routes, and a configuration that comes later"
document=$scratch/build/openapi.yaml
grep -q '^  /notes/all:' "$document" || fail "the document does not have the new path"
grep -q 'version: "2.3.4"' "$document" || fail "the document does not have the project's version"
mkdir "$app/config"
echo '{"openapi": {"info": {"title": "Configured"}}}' >"$app/config/default.json"
build
grep -q 'title: Configured' "$document" || fail "the document does not follow the configuration"
sed -i 's/Configured/Changed/' "$app/config/default.json"
build
grep -q 'title: Changed' "$document" || fail "the document does not follow the configuration"

step "settings of lints that come or go: the routes are compiled again"
expect_routes_compiled() { # expect_routes_compiled WHEN
  build >"$scratch/log"
  grep -q 'Compiling the routes of consumer' "$scratch/log" || fail "the settings are not read $1"
  build >"$scratch/log"
  grep -q 'no work to do' "$scratch/log" || fail "a second build has work to do $1"
}
echo '{"lints": {}}' >"$scratch/.fairway.json"
touch -d 2020-01-01 "$scratch/.fairway.json"
expect_routes_compiled "when there is an old file"
echo '{"lints": {"*": "off"}}' >"$scratch/.fairway.json"
expect_routes_compiled "after a change"
echo '{}' >"$app/.fairway.json"
expect_routes_compiled "when there is a nearer file"
rm "$app/.fairway.json" "$scratch/.fairway.json"
expect_routes_compiled "when there is no file any more"

step "the clients follow the routes, too"
for client in notes_client.hpp notes.ts; do
  grep -q "/notes/all" "$scratch/build/clients/$client" || fail "$client lacks the new path"
  cmp "$scratch/build/clients/$client" "$scratch/build/fairway/consumer/client/$client" ||
    fail "the two copies of $client differ"
done
support=fairway_client_support.hpp
cmp "$scratch/build/clients/$support" "$scratch/build/fairway/consumer/client/$support" ||
  fail "the two copies of $support differ"

step "the commands write the same, with what fairway_add_app was given"
expect_same() {
  in_app openapi --format yaml >"$scratch/document"
  cmp "$scratch/document" "$document" || { diff "$scratch/document" "$document" || fail "fairway openapi"; }
  in_app client ts >"$scratch/client"
  cmp "$scratch/client" "$scratch/build/clients/notes.ts" || fail "fairway client"
}
expect_same
title=$(in_app openapi --title Mine | sed -n 's/^ *"title": "\(.*\)".*/\1/p')
[ "$title" = Mine ] || fail "the title of the document is '$title', not the value of --title"

step "a change that breaks clients turns the test of fairway_add_diff_test red, until it is approved"
cp "$app/CMakeLists.txt" "$scratch/CMakeLists.txt"
cp "$scratch/build/fairway/consumer/openapi.json" "$app/released.json"
echo '{"version": 1, "approvals": []}' >"$app/approved.json"
printf 'enable_testing()\nfairway_add_diff_test(released consumer RELEASED released.json APPROVALS approved.json)\n' \
  >>"$app/CMakeLists.txt"
compare() { ctest --test-dir "$scratch/build" -R '^released$' --no-tests=error --output-on-failure >"$scratch/log" 2>&1; }
build
compare || fail "red without a change: $(<"$scratch/log")"
sed -i 's|kListPath = "/all"|kListPath = "/every"|' "$app/src/limits.hpp"
build
if compare; then fail "green, although an operation was removed"; fi
grep -q '\[operation-removed\]' "$scratch/log" || fail "no report: $(<"$scratch/log")"
"$fairway" diff "$app/released.json" "$scratch/build/fairway/consumer/openapi.json" \
  --write-approvals "$app/approved.json" >/dev/null || true
compare || fail "red, although the change is approved: $(<"$scratch/log")"
sed -i 's|kListPath = "/every"|kListPath = "/all"|' "$app/src/limits.hpp"
cp "$scratch/CMakeLists.txt" "$app/CMakeLists.txt"
build

step "its OPTIONS as well"
mkdir "$scratch/build/config"
echo '{"openapi": {"info": {"contact": {"name": "Ann"}}}}' >"$scratch/build/config/relative.json"
sed -i '/CLIENT_TS/s|)$|\n  OPTIONS $<1:--no-envelope> --openapi 3.0 --server /v1 --guard-security audit=auditors --jobs 1\n\
  --description [[Say "hi" \\o/]] --app-config config/relative.json --middleware audit --default-title Notes)|' "$app/CMakeLists.txt"
sed -i 's|app.get(kListPath, |&{.middlewares = {"audit"}}, |' "$app/src/routes/notes.cpp"
build
for text in '"3.0.3"' '/v1' 'auditors' 'name: Ann' 'Say \"hi\" \\o/' 'title: Notes'; do
  grep -qF -- "$text" "$document" || {
    cat "$document"
    fail "the document does not have $text"
  }
done
! grep -q ' data:' "$document" || fail "the document has envelopes"
expect_same
for command in routes 'doctor --no-config'; do
  # shellcheck disable=SC2086
  in_app $command >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "fairway $command"
  }
done
in_app openapi --server /v2 --guard-security audit=others --openapi 3.1 --title Mine >"$scratch/document"
for text in '"3.1.0"' /v2 others '"Mine"'; do
  grep -qF -- "$text" "$scratch/document" || fail "the option for $text does not take precedence"
done
! grep -qE '/v1|auditors' "$scratch/document" || fail "options of fairway_add_app take precedence"

step "options stored by another version, and errors in OPTIONS, are reported"
stored=$scratch/build/fairway/consumer/add_app.json
cp "$stored" "$scratch/stored"
expect_stored_error() {
  if in_app openapi >"$scratch/log" 2>&1; then fail "fairway openapi accepts $(cat "$stored")"; fi
  grep -qF -- "$1" "$scratch/log" || {
    cat "$scratch/log"
    fail "the error is not '$1'"
  }
}
for text in '[1]' '{"title": "Notes"}' '{"directory": 1, "arguments": []}' '{"directory": "", "arguments": [1]}'; do
  echo "$text" >"$stored"
  expect_stored_error 'not written by this version of fairway_add_app: run CMake again'
done
echo '{"directory": "", "arguments": ["--title"]}' >"$stored"
expect_stored_error "the OPTIONS of fairway_add_app, stored in '$stored': --title needs a value"
cp "$scratch/stored" "$stored"

step "a new file is picked up, the lock of an editor is not"
ln -s nowhere "$app/src/routes/.#added.cpp"
cmake "$scratch/build" >/dev/null
rm "$app/src/routes/.#added.cpp"
sed 's|"/"|"/new"|' "$app/src/routes/archive.cpp" >"$app/src/routes/added.cpp"
build
grep -q '"/added/new"' "$table" || fail "the table does not have the added file"

step "a broken file fails the build, again and again, and leaves the table alone"
before=$(cat "$table")
sed -i 's|app.get("/new"|app.get(std::getenv("new")|' "$app/src/routes/added.cpp"
for log in first second; do
  if build >"$scratch/$log" 2>&1; then fail "the build of a broken route succeeds"; fi
done
cat "$scratch/first"
grep -q '^\[1/.*Checking' "$scratch/second" || fail "the routes were compiled again"
[ "$before" = "$(cat "$table")" ] || fail "the table was touched"
# The diagnostic comes last, after a report of Ninja's that is two short lines.
[ "$(tail -n 2 "$scratch/first" | head -n 1)" = '1 error in 1 file' ] || fail "the errors are not the last thing"
sed -n '/^FAILED:/,/error:/p' "$scratch/first" | sed "s|$scratch||g" >"$scratch/head"
[ "$(wc -l <"$scratch/head")" -eq 3 ] || fail "something is between Ninja's report and the diagnostic"
grep -q 'route-path-not-static' "$scratch/head" || fail "no diagnostic"
[ "$(head -n 2 "$scratch/head" | wc -c)" -lt 300 ] || fail "Ninja's report is long"

step "its repair is picked up"
sed -i 's|std::getenv("new")|"/newer"|' "$app/src/routes/added.cpp"
build
grep -q '"/added/newer"' "$table" || fail "the table does not have the repaired file"

step "a type without its header is reported by the route compiler, before the file is compiled"
sed -i 's|(fw::Request&, fw::Response& res) {|(fw::Request\& req, fw::Response\& res) { (void)req.valid<routes::added::ListAddedNewer::Query>();|' \
  "$app/src/routes/added.cpp"
if build >"$scratch/first" 2>&1; then fail "the build of a file without its types succeeds"; fi
cat "$scratch/first"
grep -q 'help: include "added.routes.hpp"' "$scratch/first" || fail "the header is not named"
if grep -q 'Building CXX' "$scratch/first"; then fail "the program was compiled"; fi
