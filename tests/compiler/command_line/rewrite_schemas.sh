#!/usr/bin/env bash
# Schema maps of a sample become structs, and the application stays the same.
# Usage: rewrite_schemas.sh FAIRWAY INCLUDE_DIR SAMPLES_DIR CXX
fairway=$1 include=$2 samples=$3 cxx=$4
source "$(dirname "$0")/checks.sh"

cp -r "$samples/accounts/src" src
flags=(-std=c++20 -I"$include" -I"$scratch/src" -I"$samples")
openapi() { "$fairway" openapi -- "${flags[@]}"; }
rewrite() { "$fairway" rewrite-schemas "$@" -- "${flags[@]}"; }
# compiles FILE: with the headers that a build generates.
compiles() {
  "$fairway" build --out-dir out -- "${flags[@]}"
  # As fairway_add_app defines it: the name under which the table refers to the export.
  local name
  name=$(sed -nE 's/.*(fairway_export_routes_2f'"$(basename "$1" .cpp)"'_2ecpp)\b.*/\1/p' out/app_table.cpp | head -1)
  check "$1 compiles" "$cxx" -fsyntax-only "${flags[@]}" -Wall -Wextra -Werror -Iout/include \
    -Iout/include/fairway/routes "-Dfairway_default_export=$name" "$1"
}
openapi >before.json

begin "rewrite-schemas: the change is shown, and written only with --write"
cp src/routes/account.cpp before.cpp
check_status "rewrite-schemas" 0 rewrite src/routes/account.cpp
check "the file is unchanged" cmp before.cpp src/routes/account.cpp
has stdout '--- a/src/routes/account.cpp' '+struct SignUpBody {' \
  '+               .validate = {.body = fw::type<SignInBody>},' \
  '+             const auto& body = req.valid<SignInBody>(fw::Location::body);'
has stderr "'responses.201' is left alone: it is declared in line 15" \
  'src/routes/account.cpp: 3 schema maps as 4 structs' 'nothing is written without --write'
cp stdout change.diff
check_status "rewrite-schemas --write" 0 rewrite --write src/routes/account.cpp
check_empty "standard output" "$(cat stdout)"
check "the diff is the change" patch -p1 --output=patched.cpp before.cpp change.diff
check "the file is what the diff says" cmp patched.cpp src/routes/account.cpp
check_status "rewrite-schemas --write" 0 rewrite --write src/routes/index.cpp
has stderr '1 schema map as 1 struct'
check_not "a request has a schema map" grep -nE 'validate = \{\.[a-z]+ = \{\{' src/routes/*.cpp

begin "rewrite-schemas: the application is the same"
openapi >after.json
check_status "diff" 0 "$fairway" diff before.json after.json
has stdout 'no changes'
compiles src/routes/account.cpp
compiles src/routes/index.cpp
check_status "doctor" 0 "$fairway" doctor -- "${flags[@]}"

begin "rewrite-schemas: a second run changes nothing"
check_status "rewrite-schemas" 0 rewrite src/routes/account.cpp
check_empty "standard output" "$(cat stdout)"
has stderr 'no schema map is rewritten'

begin "rewrite-schemas: schemas of handlers that would not compile are left alone"
rm -r src
mkdir -p src/routes src/services
cat >src/routes/users.cpp <<'END'
#include <fairway/fairway.hpp>

#include "users.routes.hpp"

namespace {

std::size_t length(const std::string* text) { return text->size(); }

template <class Body>
std::size_t name_size(const Body& body) {
  return body.name.size();
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"name", "string:1-9"}}}, .docs = {.operation_id = "create"}},
           [](fw::Request& req, fw::Response& res) {
             res.json(length(&req.valid<routes::users::Create::Body>().name));
           });
  app.put("/", {.validate = {.body = {{"name", "string"}, {"x-y", "string"}}}, .docs = {.operation_id = "replace"}},
          [](fw::Request& req, fw::Response& res) {
            const auto& body = req.valid<routes::users::Replace::Body>();
            res.json(length(&body.name) + name_size(body) + body.x_y.size());
          });
  app.patch("/", {.validate = {.body = {{"name", "string:1-9"}}}, .docs = {.operation_id = "rename"}},
            [](fw::Request& req, fw::Response& res) {
              res.json(req.valid<routes::users::Rename::Body>().name);
            });
  app.del("/", {.validate = {.body = {{"name", "string:1-9"}}}, .docs = {.operation_id = "remove"}},
          [](fw::Request& req, fw::Response& res) { res.json(req.body().at("name")); });
});
END
cat >src/services/names.hpp <<'END'
#include "users.routes.hpp"
using RenameBody = routes::users::Rename::Body;
END
openapi >before.json
check_status "rewrite-schemas --write" 0 rewrite --write src/routes/users.cpp
has stderr "users.cpp:17:32: 'validate.body' is left alone: the file would not compile: " \
  "users.cpp:26:33: 'validate.body' is left alone: 'src/services/names.hpp' uses the generated types" \
  '2 schema maps as 2 structs'
has src/routes/users.cpp 'req.valid<ReplaceBody>(fw::Location::body)' \
  '  FW_JSON(ReplaceBody, name, (x_y, "x-y"))' 'req.valid<routes::users::Create::Body>()' \
  '.body = fw::type<RemoveBody>'
openapi >after.json
check_status "diff" 0 "$fairway" diff before.json after.json
compiles src/routes/users.cpp

begin "rewrite-schemas: files that are no route files"
check_status "no file" 2 rewrite src/services/names.hpp
has stderr "'src/services/names.hpp' is no file with routes below 'src'"
