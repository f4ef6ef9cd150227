#!/usr/bin/env bash
# fairway doctor: suppressions, settings and repairs. Usage: check.sh FAIRWAY INCLUDE_DIR
source "$(dirname "$0")/../../support/cases.sh"
fairway=$1 include=$2
here=$(cd "$(dirname "$0")" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
shown=("$scratch/log")
mkdir "$scratch/api"
cp -r "$here/src" "$scratch/api"
cd "$scratch/api"

doctor() { # doctor STATUS OPTIONS...
  local expected=$1 status=0
  shift
  "$fairway" doctor "$@" -- -std=c++20 -I"$include" >"$scratch/log" 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "doctor $*: exit status $status"
}
says() { grep -q -- "$1" "$scratch/log" || fail "not said: $1"; }

begin "lints: a comment suppresses a warning, and an unused one is a warning"
doctor 0
says '^src/routes/notes.cpp:12:13: warning: .* \[missing-docs-summary\]$'
! grep -q $'\033' "$scratch/log" || fail "progress in a log"
says "^src/routes/notes.cpp:19:62: warning: NOLINT suppresses no 'missing-docs-summary' .*\[unused-suppression\]$"
says '^2 warnings in 1 file$'
doctor 1 --strict

begin "settings: above the source directory, named, or not at all"
echo '{"lints": {"*": "off"}}' >"$scratch/.fairway.json"
doctor 0 --strict
says 'no findings'
mkdir src/plugins
cat >src/plugins/clock.cpp <<'END'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_plugin({.name = "clock", .setup = [](fw::App&) {}});
END
doctor 0
says '^3 routes in 1 file, no findings$'
rm -r src/plugins
echo '{"lints": {"missing-docs-summary": "error", "*": "off"}}' >.fairway.json
doctor 1
says 'notes.cpp:12:13: error: .* \[missing-docs-summary\]$'
says '^1 error in 1 file$'
doctor 0 --no-config
says '^2 warnings in 1 file$'
doctor 0 --config "$scratch/.fairway.json"
says 'no findings'
echo '{"lints": {"missing-docs-sumary": "off"}}' >.fairway.json
doctor 2
says "^fairway: .fairway.json: /lints/missing-docs-sumary: unknown lint; did you mean 'missing-docs-summary'?$"
doctor 2 --config nowhere.json
says "^fairway: --config: cannot read settings file 'nowhere.json'$"
doctor 2 --config .fairway.json --no-config
says '^fairway: --config and --no-config cannot be used together$'
rm .fairway.json "$scratch/.fairway.json"

begin "lints: the configuration of the application is read from a file"
cat >src/routes/visits.cpp <<'END'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.docs = {.hidden = true}},
          [](fw::Request& req, fw::Response& res) { res.text(req.session().id()); });
});
END
echo '{"session": {"enabled": true}}' >app.json
doctor 0 --app-config app.json
says '^2 warnings in 1 file$'
echo '{}' >app.json
doctor 0 --app-config app.json
says "^src/routes/visits.cpp:4:62: warning: the configuration enables no sessions: .*\[session-not-enabled\]$"
doctor 0
says '^2 warnings in 1 file$'
rm src/routes/visits.cpp

begin "https: settings that need it are reported in any file of the configuration"
mkdir config
cat >config/default.json <<'END'
{"securityHeaders": {"enabled": true, "hsts": {"maxAge": 60}},
 "session": {"enabled": true, "cookie": {"secure": true}},
 "csrf": {"enabled": true, "cookie": {"secure": true}}}
END
doctor 0 --app-config config/default.json
says "^config/default.json: warning: '/securityHeaders/hsts' needs HTTPS: in cleartext, the field is never sent \[https-not-enabled\]$"
says "^config/default.json: warning: '/session/cookie/secure' needs HTTPS: .*\[https-not-enabled\]$"
says "^config/default.json: warning: '/csrf/cookie/secure' needs HTTPS: .*\[https-not-enabled\]$"
for https in '{"server": {"tls": {"certificate": "a.pem", "key": "a.key"}}}' '{"trustProxy": 1}'; do
  echo "$https" >config/production.json
  doctor 0 --app-config config/default.json
  ! grep -q https-not-enabled "$scratch/log" || fail "a warning, although HTTPS is enabled"
done
echo '{"trustProxy": false}' >config/production.json
sed -i 's/"enabled": true/"enabled": false/g' config/default.json
doctor 0 --app-config config/default.json
! grep -q https-not-enabled "$scratch/log" || fail "a warning about settings that are off"
rm app.json

begin "configuration: the files that the program reads when it starts"
mkdir locales
printf '{\n  "port": 80,\n  "logger": {"levle": "info"}\n}\n' >config/default.json
printf '{\n  "port": 80\n  "host": "::1"\n}\n' >config/production.json
echo '{"gone": "{{what}} has gone", "full": "Full"}' >locales/en-US.json
echo '{"gone": "{{was}} ist fort"}' >locales/de-DE.json
doctor 1
says '^config/default.json:3:14: error: /logger/levle: unknown key; did you mean /logger/level? \[bad-configuration\]$'
says "^config/production.json:2:13: error: not valid JSON: a ',' is missing \[bad-configuration\]$"
says "^locales/de-DE.json: warning: 'de-DE' lacks 1 message of 'en-US': 'full' \[locale-differs\]$"
says "^locales/de-DE.json:1:2: warning: the placeholders of 'gone' are {{was}}, but {{what}} in 'en-US' \[locale-differs\]$"
says '^2 errors and 4 warnings in 4 files$'
doctor 1 --app-config config/default.json
says '^2 errors and 4 warnings in 4 files$'

begin "configuration: unreadable files, and files that the program does not read by itself"
rm config/* locales/*
mkdir config/default.json locales/de-DE.json
mkfifo config/local.json
ln -s gone.json config/production.json
ln -s gone.json config/review.json
ln -s ann@host.1:2 config/.#default.json # an editor's lock
ln -s ann@host.1:2 locales/.#de-DE.json
printf '{\n  "cors": {"methods": ["GET",\n    "put"]}\n}\n' >config/test.json
echo '{"EUR": 1.1}' >config/rates.json
echo '{"port": 80, "ratelimit": {}}' >config/staging.json
doctor 1
says '^config/default.json: error: cannot be read: it is a directory \[bad-configuration\]$'
says '^config/local.json: error: cannot be read: it is a pipe \[bad-configuration\]$'
says "^config/production.json: error: cannot be read: it is a link to 'gone.json', which does not exist \[bad-configuration\]$"
says '^locales/de-DE.json: error: cannot be read: it is a directory \[bad-locale-file\]$'
says "^config/staging.json:1:14: warning: the program does not start with '--config staging': /ratelimit: unknown key; did you mean /rateLimit? \[broken-profile\]$"
says "^config/review.json: warning: the program does not start with '--config review': cannot be read: it is a link to 'gone.json', which does not exist \[broken-profile\]$"
says "^config/test.json:3:5: error: /cors/methods/1: 'put' never matches, because methods are case-sensitive: write \"PUT\" \[bad-configuration\]$"
says '^5 errors and 4 warnings in 8 files$'
rm -r config locales

begin "repairs: files keep their permissions and line ends, and the rest is reported"
doctor 0 --fix
says "^src/routes/notes.cpp:19:62: repaired: NOLINT suppresses no 'missing-docs-summary'"
says '^1 repair in 1 file$'
says '^1 warning in 1 file$'
grep -q '"newNotes"}},$' src/routes/notes.cpp || fail "the comment was not removed with its blanks"
mkdir "$scratch/with_errors" && cd "$scratch/with_errors"
mkdir -p src/routes src/middlewares
cat >src/middlewares/audit-log.cpp <<'END'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_middleware(
    [](fw::Request&, fw::Response&, fw::Next next) { next(); });
END
sed 's/$/\r/' >src/routes/tasks.cpp <<'END'
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:taskId",
          {.validate = {.param = {{"taskID", "uid"}}},
           .middlewares = {"auditlog"},
           .responses = {{"2XX", "array<money>"}}},
          [](fw::Request&, fw::Response& res) { res.text(""); });
});
END
cat >src/routes/users.cpp <<'END'
#include <fairway/fairway.hpp>

constexpr auto kPath = "/all"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(kPath, [](fw::Request&, fw::Response& res) { res.text(""); });
});
END
chmod 640 src/routes/tasks.cpp
doctor 1 --format json
node -e 'const { diagnostics } = JSON.parse(require("fs").readFileSync(process.argv[1]));
  if (diagnostics.filter((each) => each.fixes).length !== 5) process.exit(1);' \
  "$scratch/log" || fail "not five repairs in JSON"
doctor 1 --format sarif
node "$here/../../../tools/npm/validate-sarif.mjs" "$scratch/log" || fail "not valid SARIF"
[ "$(grep -c '"insertedContent"' "$scratch/log")" -eq 5 ] || fail "not five repairs in SARIF"
doctor 1 --fix
says '^5 repairs in 2 files$'
says "tasks.cpp:7:41: error: unknown type 'money' \[bad-schema\]$"
says '^1 error in 1 file$'
grep -q '{{"taskId", "uuid"}}},.$' src/routes/tasks.cpp || fail "the parameter was not repaired"
[ "$(grep -c $'\r$' src/routes/tasks.cpp)" -eq 9 ] || fail "line ends were changed"
[ "$(stat -c %a src/routes/tasks.cpp)" = 640 ] || fail "permissions were changed"
grep -q '^constexpr auto kPath = "/all";$' src/routes/users.cpp || fail "the semicolon is missing"
cp src/routes/tasks.cpp "$scratch/before"
doctor 1 --fix
says '^nothing to repair$'
cmp -s src/routes/tasks.cpp "$scratch/before" || fail "a second run changed something"
[ "$(find src -type f | wc -l)" -eq 3 ] || fail "temporary files stayed"

cat >src/routes/tasks.cpp <<'END'
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/all", {.docs = {.tags = {"a"}, .summary = "S", .hidden = true}, .timeout = 100, .auth = false},
          [](fw::Request&, fw::Response& res) { res.text(""); });
});
END
doctor 0 --fix
says '^2 repairs in 1 file$'
grep -qF '{.auth = false, .docs = {.summary = "S", .tags = {"a"}, .hidden = true}, .timeout = 100}' src/routes/tasks.cpp ||
  fail "nested members were not put into their order: $(cat src/routes/tasks.cpp)"

begin "routes: the table is aligned, grouped by file and coloured, and has a JSON form"
routes() { # routes OPTIONS...
  "$fairway" routes --source-dir "$scratch/api/src" "$@" -- -std=c++20 -I"$include" >"$scratch/log" 2>&1 ||
    fail "routes $*"
}
routes
cat >"$scratch/table" <<'END'
  GET     /notes      listNotes
  GET     /notes/all  listAllNotes
  GET     /notes/new  newNotes
3 routes in 1 file
END
tail -n +2 "$scratch/log" | cmp -s - "$scratch/table" || fail "the route table"
routes --color always
says "$(printf '\033\\[32mGET     \033\\[0m/notes ')"
routes --format json
node -e 'const { version, routes } = JSON.parse(require("fs").readFileSync(process.argv[1]));
  const members = "method path prefix subpath file line operation_id operation_id_source tags " +
    "summary hidden deprecated middlewares auth validate responses stream socket mcp";
  const route = routes[2];
  if (version !== 1 || routes.length !== 3 || Object.keys(route).join(" ") !== members ||
      route.path !== "/notes/new" || route.subpath !== "/new" || route.prefix !== "/notes" ||
      route.operation_id_source !== "explicit" || route.summary !== "New notes" ||
      route.line !== 16 || route.responses[0] !== "200") process.exit(1);' \
  "$scratch/log" || fail "routes --format json"

begin "configuration: middlewares that no application of the build has"
mkdir -p "$scratch/shop/config" "$scratch/shop/src/"{api,pages}"/"{routes,middlewares}
cd "$scratch/shop"
middleware() { # middleware FILE
  cat >"$1" <<'END'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_middleware(
    [](fw::Request&, fw::Response&, fw::Next next) { next(); });
END
}
middleware src/api/middlewares/audit-log.cpp
middleware src/pages/middlewares/theme.cpp
cat >src/api/routes/index.cpp <<'END'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.middlewares = {"audit-log"}, .docs = {.hidden = true}},
          [](fw::Request&, fw::Response& res) { res.text(""); });
});
END
cp src/api/routes/index.cpp src/pages/routes/index.cpp
printf '{"middlewares": [\n  "audit-lgo",\n  {"name": "theme"}, {"name": "quota"}]}\n' >config/default.json
in_shop() { doctor "$1" --source-dir src/api --app-config config/default.json "${@:2}"; }
in_shop 1
says "^config/default.json:2:3: error: /middlewares/0: there is no middleware 'audit-lgo'; did you mean 'audit-log'? \[bad-configuration\]$"
says "^config/default.json:3:4: error: /middlewares/1/name: there is no middleware 'theme': add"
in_shop 1 --middleware quota --middleware theme
says '^1 error in 1 file$'
sed -i 's/audit-lgo/audit-log/' config/default.json
in_shop 0 --middleware quota --middleware theme
echo '{"middlewares": []}' >config/default.json
in_shop 0
says "^src/api/routes/index.cpp:3:33: warning: the program does not start: no file of the configuration lists the middleware 'audit-log' \[middleware-not-listed\]$"
doctor 0 --source-dir src/api
! grep -q middleware-not-listed "$scratch/log" || fail "a warning without the files of the configuration"
mkdir src/config
echo '{"colours": 3}' >src/config/colours.json # the application's own
doctor 0 --source-dir src/api
! grep -q middleware-not-listed "$scratch/log" || fail "a warning without a configuration"
rm -r src/config
# A list in any file of the configuration counts, and the next run notices it.
echo '{"middlewares": ["audit-log"]}' >config/production.json
in_shop 0
says 'no findings$'
rm config/production.json
printf '{"middlewares": [\n  "audit-log",\n  {"name": "theme"}, {"name": "quota"}]}\n' >config/default.json
# The build of a program that mounts two applications; 'pages' declares the middleware of a library.
mkdir -p build/fairway/shop/pages
cat >build/fairway/shop/pages/add_app.json <<END
{"directory": "$PWD/build", "source_dir": "$PWD/src/pages", "arguments": ["--middleware", "quota"]}
END
command_of() { # command_of APPLICATION
  cat <<END
{"directory": "$PWD/build", "file": "$PWD/src/$1/routes/index.cpp",
 "arguments": ["c++", "-std=c++20", "-I$include",
   "-Dfairway_default_export=fairway_export_$1_routes_2findex_2ecpp", "-c", "$PWD/src/$1/routes/index.cpp",
   "-o", "CMakeFiles/shop.dir/src/$1/routes/index.cpp.o"]}
END
}
echo "[$(command_of api),$(command_of pages)]" >build/compile_commands.json
built() { # built STATUS
  local status=0
  "$fairway" doctor --source-dir src/api -p build --app-config config/default.json >"$scratch/log" 2>&1 || status=$?
  [ "$status" -eq "$1" ] || fail "doctor -p build: exit status $status"
}
built 0
rm src/pages/middlewares/theme.cpp
built 1
says "there is no middleware 'theme': add"
says '^1 error in 1 file$'

begin "repairs: all missing commas of a statement"
mkdir -p "$scratch/commas/src/routes" && cd "$scratch/commas"
cat >src/routes/a.cpp <<'END'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.validate = {.query = {{"a", "string"}
                                  {"b", "string"}
                                  {"c", "string"}}}
           .docs = {.summary = "A", .tags = {"a" "b"}}}
          [](fw::Request&, fw::Response& res) { res.text(""); });
});
END
doctor 0 --fix
says '^4 repairs in 1 file$'
grep -q '{{"a", "string"},$' src/routes/a.cpp || fail "the first comma is missing"
grep -q '{"b", "string"},$' src/routes/a.cpp || fail "the second comma is missing"
grep -q '{"c", "string"}}},$' src/routes/a.cpp || fail "the third comma is missing"
grep -q '{"a" "b"}}},$' src/routes/a.cpp || fail "the fourth comma is missing"

begin "repairs: files outside of the project are not touched"
mkdir -p "$scratch/shared" "$scratch/linked/src/routes"
echo "inline constexpr auto kType = \"strin\";" >"$scratch/shared/types.hpp"
cat >"$scratch/linked/src/routes/a.cpp" <<'END'
#include <fairway/fairway.hpp>
#include "../../../shared/types.hpp"
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"a", kType}}}},
           [](fw::Request&, fw::Response& res) { res.text(""); });
});
END
cd "$scratch/linked"
doctor 1 --fix
says "not repaired, '.*/shared/types.hpp' is not a file of this project: unknown type 'strin'"
grep -q '"strin"' "$scratch/shared/types.hpp" || fail "a foreign file was changed"
echo "passed"
