#!/usr/bin/env bash
# The options of the document: versions, formats, the application's configuration, flags.
# Usage: document.sh FAIRWAY INCLUDE_DIR
fairway=$1 include=$2
source "$(dirname "$0")/checks.sh"

mkdir -p src/routes src/middlewares
cat >src/middlewares/guard.cpp <<'END_OF_FILE'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_middleware(
    [](fw::Request&, fw::Response&, fw::Next next) { next(); });
END_OF_FILE
cat >src/routes/users.cpp <<'END_OF_FILE'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.middlewares = {"guard"}, .responses = {{"200", {{"id", "integer"}}}}},
          [](fw::Request&, fw::Response& res) { res.json({{"id", 1}}); });
  app.get("/gone", [&app](fw::Request&, fw::Response&) { app.raise("user.gone"); });
});
END_OF_FILE
openapi() { "$fairway" openapi "$@" -- -std=c++20 -I"$include"; }
build() { "$fairway" build --out-dir out "$@" -- -std=c++20 -I"$include"; }
rejected() { # rejected TEXT COMMAND...: exit status 2, and the text on standard error
  local text=$1
  shift
  check_status "error '$text'" 2 "$@"
  has stderr "$text"
}

begin "document: versions and formats"
openapi >json
has json '"openapi": "3.1.0"'
has json '"const": 0'
openapi --openapi 3.0 >json
has json '"openapi": "3.0.3"'
lacks json '"const"'
openapi --openapi 3.2 >json
has json '"openapi": "3.2.0"'
rejected "--openapi must be 3.1, 3.0 or 3.2, not '2.0'" openapi --openapi 2.0
openapi --format yaml >yaml
openapi --output-format yaml | check "--output-format is accepted for --format" cmp - yaml
has yaml 'openapi: "3.1.0"'
openapi -o a.yaml
check "the ending .yaml selects YAML" cmp yaml a.yaml
openapi -o a.yml --format json
has a.yml '"openapi"'

begin "document: the names of components of class templates"
cat >src/routes/pages.cpp <<'END_OF_FILE'
#include <fairway/fairway.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

#include "pages.routes.hpp"
template <class T>
struct Page {
  std::vector<T> items;
};
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/days", []() -> Page<std::chrono::sys_days> { return {}; });
  app.get("/times", []() -> Page<std::chrono::sys_seconds> { return {}; });
  app.get("/milliseconds", []() -> Page<std::chrono::sys_time<std::chrono::milliseconds>> {
    return {};
  });
  app.get("/numbers", []() -> Page<std::int64_t> { return {}; });
  app.get("/long", []() -> Page<long> { return {}; });
  app.get("/long-long", []() -> Page<long long> { return {}; });
  app.get("/any", []() -> Page<fw::Json> { return {}; });
  app.get("/integers", []() -> Page<fw::Field<"integer:1-5">> { return {}; });
  app.get("/strings", []() -> Page<fw::Field<"string:1-5">> { return {}; });
  app.get("/cats", []() -> Page<fw::Literal<"cat">> { return {}; });
  app.get("/dogs", []() -> Page<fw::Literal<"dog">> { return {}; });
});
END_OF_FILE
openapi >json
for name in PageDate PageDateTime PageDateTimeMilli PageInt64 PageJson PageInteger_1_5 PageString_1_5 \
  PageCat PageDog; do
  has json "\"$name\": {"
done
rm src/routes/pages.cpp

begin "document: flags"
openapi --title T --api-version 1.2 --description D --license MIT --server /a --server /b \
  --guard-security guard=oauth --no-envelope --default-title unused >json
has json '"title": "T"'
has json '"version": "1.2"'
has json '"description": "D"'
has json '"name": "MIT"'
has json '"url": "/b"'
has json '"oauth": []'
lacks json '"const": 0'
rejected "--guard-security must have the form NAME=SCHEME, not 'guard'" openapi --guard-security guard

begin "document: the configuration, and flags that override it"
mkdir config
cat >config/default.json <<'END_OF_FILE'
{"port": 1, "response": {"wrap": false},
 "openapi": {"enabled": true,
   "info": {"title": "Configured", "version": "9", "description": "of the file",
            "contact": {"email": "a@example.com"}, "license": {"name": "MIT", "identifier": "MIT"}},
   "servers": ["/one", {"url": "/two", "description": "the second"}],
   "guardSecurityMap": {"guard": "key"},
   "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}}
END_OF_FILE
openapi --app-config config/default.json --default-title unused >json
has json '"title": "Configured"' '"version": "9"' '"identifier": "MIT"' '"email": "a@example.com"' \
  '"url": "/one"' '"description": "the second"' '"key": []' '"name": "X-Key"'
lacks json '"data"'
cat >config/default.yaml <<'END_OF_FILE'
# The same as YAML.
port: 1
response: {wrap: false}
openapi:
  enabled: true
  info: {title: Configured, version: "9", description: of the file,
         contact: {email: a@example.com}, license: {name: MIT, identifier: MIT}}
  servers:
    - /one
    - url: /two
      description: the second
  guardSecurityMap: {guard: key}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
END_OF_FILE
openapi --app-config config/default.yaml --default-title unused |
  check "a YAML configuration gives the same document" diff json -
openapi --app-config config/default.json --title Flag --server /flag >json
has json '"title": "Flag"'
has json '"url": "/flag"'
lacks json '"/one"'
openapi --app-config config/default.json --openapi 3.0 >json
lacks json '"identifier"'

begin "document: without a build, the configuration beside the source directory is used"
openapi --app-config config/default.json >json
openapi >found
check 'the same document' cmp json found
has found '"title": "Configured"'
mkdir elsewhere
(cd elsewhere && openapi --source-dir ../src >found)
check 'the same document from another directory' cmp json elsewhere/found
"$fairway" client ts -- -std=c++20 -I"$include" >client.ts
has client.ts 'class ConfiguredClient'

begin "document: the AsyncAPI document of sockets"
cat >src/routes/rooms.cpp <<'END_OF_FILE'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.socket("/:id", {.docs = {.operation_id = "room"}, .receive = {{"say", {{"text", "string"}}}}},
             [](fw::Request&, fw::Socket& socket) { socket.on("say", [](const fw::Json&) {}); });
});
END_OF_FILE
build --title Chat --openapi 3.0
has out/asyncapi.json '"asyncapi": "3.0.0"' '"title": "Chat"' '"room.receive": {' '"const": "say"'
has out/openapi.json '"openapi": "3.0.3"' '"x-fw-socket": {'
rm src/routes/rooms.cpp
build --title Chat
check_not "a document without sockets" test -e out/asyncapi.json
rm -r out

begin "document: errors of the locale files"
lacks json '"UserGone"'
mkdir locales
echo '{"user.gone": {"code": "USER_GONE", "status": 410}}' >locales/en-US.json
echo '{"user.gone": {"code": "USER_GONE", "status": "four"}, "other": 7}' >locales/de-DE.json
echo '{"user.gone": {"code": "DE_GONE"' >locales/fr-FR.json
build --app-config config/default.json --depfile depfile
has out/openapi.json '"UserGone": {' '"410": {' '"const": "USER_GONE"' '"description": "Gone"'
lacks out/openapi.json '"DeGone"'
has depfile "locales/en-US.json"
echo '{"user.gone": {"code": 41001}}' >locales/en-US.json
build --app-config config/default.json
has out/openapi.json '"Error41001": {' '"400": {'
echo '{"locale": {"directory": "texts", "supported": ["de-DE"]}}' >config/texts.json
mkdir texts
echo '{"user.gone": {"code": "TEXT_GONE"}}' >texts/de-DE.json
echo '{"user.gone": {"code": "OTHER_GONE"}}' >texts/fr-FR.json
openapi --app-config config/texts.json >json
has json '"TextGone"'
lacks json '"OtherGone"' '"Error41001"'
rm -r locales texts out

begin "document: protections that the configuration enables"
cat >config/protected.json <<'END_OF_FILE'
{"session": {"enabled": true, "name": "shop.sid"}, "rateLimit": {"enabled": true},
 "csrf": {"enabled": true, "methods": ["GET"], "headers": ["x-token"]},
 "openapi": {"guardSecurityMap": {"guard": "sessionCookie"}, "authScheme": "unused"}}
END_OF_FILE
openapi --app-config config/protected.json >json
has json '"sessionCookie": []' '"name": "shop.sid"' '"name": "x-token"' '"403"' '"429"'

begin "document: the response cache and entity tags"
echo '{"etag": "weak", "cache": {"enabled": false, "defaultTtl": 1000}}' >config/cached.json
openapi --app-config config/cached.json >json
has json '"ETag"' '"304"'
lacks json '"X-Cache"'
echo '{"etag": "off"}' >config/cached.json
openapi --app-config config/cached.json >json
lacks json '"304"'

begin "document: errors of the configuration name the file and the location"
rejected "cannot read 'none.json'" openapi --app-config none.json
expect_error() {
  echo "$2" >bad.json
  rejected "$1" openapi --app-config bad.json
}
expect_error "bad.json:2:1: is not JSON: unexpected end of input" '{'
expect_error "bad.json:1:15: /response/wrap: expected true or false, not 1" '{"response": {"wrap": 1}}'
expect_error "bad.json:1:14: /port: duplicate key; the first one is at line 1, column 2" '{"port": 80, "port": 81}'
expect_error "/session: expected an object, not true" '{"session": true}'
expect_error "/session/name: expected a string, not 1" '{"session": {"name": 1}}'
expect_error "/csrf/methods: expected a list of strings, not [1]" '{"csrf": {"methods": [1]}}'
expect_error "/rateLimit/enabled: expected true or false, not " '{"rateLimit": {"enabled": "yes"}}'
expect_error "/cache/defaultTtl: expected " '{"cache": {"defaultTtl": "1s"}}'
expect_error "/etag: expected " '{"etag": true}'
expect_error "/openapi/info/title: expected a string, not 1" '{"openapi": {"info": {"title": 1}}}'
expect_error "/openapi/info/license: expected an object with a 'name'" '{"openapi": {"info": {"license": {}}}}'
expect_error "/openapi/servers: expected a list of URLs" '{"openapi": {"servers": [1]}}'
expect_error "/openapi/guardSecurityMap: expected an object of strings" '{"openapi": {"guardSecurityMap": []}}'
expect_error "/sesion: unknown key; did you mean /session?" '{"sesion": {}}'
expect_error "/openapi/securitySchemes/a: expected a security scheme" '{"openapi": {"securitySchemes": {"a": 1}}}'

printf 'openapi:\n  info: {title: a}\n  info: {title: b}\n' >bad.yaml
rejected "bad.yaml: at line 3, column 3: duplicate key 'info'; the first one is at line 2" openapi --app-config bad.yaml
printf 'openapi:\n  info: {title: 1}\n' >bad.yml
rejected "bad.yml: /openapi/info/title: expected a string, not 1" openapi --app-config bad.yml

begin "document: a build uses the configuration, names it in its depfile, and rewrites only changed files"
run() { build --app-config config/default.json --openapi-file doc.yaml --depfile deps --errors errors; }
run
has deps "$scratch/config/default.json"
has out/openapi.json '"Configured"'
has doc.yaml 'title: Configured'
touch marker
run
check_empty "files written for an unchanged tree" "$(find out doc.yaml -newer marker -type f)"
sed -i 's/"port": 1/"port": 2/' config/default.json
run
check_empty "an unchanged document was written again" "$(find out/openapi.json doc.yaml -newer marker -type f)"
sed -i 's/Configured/Changed/' config/default.json
run
has out/openapi.json '"Changed"'
has doc.yaml 'title: Changed'
rm doc.yaml
run
has doc.yaml 'title: Changed'
