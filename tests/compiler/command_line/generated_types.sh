#!/usr/bin/env bash
# Handlers that use generated types: what the document says of them, and errors in their files.
# Usage: generated_types.sh FAIRWAY INCLUDE_DIR CXX
fairway=$1 include=$2 cxx=$3
source "$(dirname "$0")/checks.sh"

mkdir -p src/routes src/services
openapi() { "$fairway" openapi --cache-dir cache -o document.json -- -std=c++20 -Isrc -I"$include"; }
# "GET /notes 200 Note": what an operation sends, but for the errors of its inputs.
responses() {
  node -e 'const { paths, components } = JSON.parse(require("fs").readFileSync("document.json"));
    const name = (schema) => (schema?.$ref ? schema.$ref.split("/").at(-1)
      : schema?.properties?.data ? name(schema.properties.data)
      : schema?.anyOf ? schema.anyOf.map(name).join("|") : (JSON.stringify(schema) === "{}" ? "any" : schema?.type));
    const own = ([status]) => !["400", "413", "415", "422", "default"].includes(status);
    const sent = ([status, { $ref, content }]) => {
      const all = $ref ? components.responses[$ref.split("/").at(-1)].content : content;
      const types = Object.entries(all ?? {}).map(([type, { schema }]) =>
        (type === "application/json" ? "" : `${type}:`) + name(schema));
      return `${status} ${types.join(" ")}`.trim();
    };
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { responses }] of Object.entries(operations))
        console.log(method.toUpperCase(), path, Object.entries(responses).filter(own).map(sent).join(", "));'
}
# sends NAME EXPECTED...: one line for each operation of src/routes/notes.cpp.
sends() {
  local name=$1
  shift
  check_status "$name" 0 openapi
  check_empty "$name: messages" "$(cat stderr)"
  check_equal "$name" "$(printf '%s\n' "$@")" "$(responses)"
}
# notes: writes a route file with the declarations $1, and the route `Save` before the routes of
# standard input.
notes() {
  {
    cat <<END
#include <fairway/routes.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>
#include "notes.routes.hpp"
struct Note {
  std::int64_t id = 0;
  std::string text;
};
using routes::notes::Save;
$1
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "save"}},
           [](fw::Request& req, fw::Response& res) { res.json(Note{1, req.valid<Save::Body>().text}, 201); });
END
    cat
    echo '});'
  } >src/routes/notes.cpp
}
saved="POST /notes 201 Note"

begin "generated types: results of handlers that convert generated values"
notes 'Note view(const Save::Body& body) { return {1, body.text}; }
struct Store { Save::Body get() const { return {}; } };
const Store store;' <<'END'
  app.get("/call", [] { return view(store.get()); });
  app.get("/variable", [] { const auto body = store.get(); return view(body); });
  app.get("/written", [] { const auto body = store.get(); return Note{1, body.text}; });
  app.get("/named", [] { const auto body = store.get(); Note note{1, body.text}; return note; });
  app.get("/loop", [] {
    std::vector<Note> notes;
    for (const Save::Body& body : {store.get()}) notes.push_back(view(body));
    return notes;
  });
END
sends "results" "$saved" "GET /notes/call 200 Note" "GET /notes/variable 200 Note" \
  "GET /notes/written 200 Note" "GET /notes/named 200 Note" "GET /notes/loop 200 array"

begin "generated types: what handlers send"
notes 'Note note_of(std::int64_t id, const Save::Body& body) { return {id, body.text}; }
void respond(fw::Response& res, const Save::Body& body) { res.json(note_of(2, body), 202); }' <<'END'
  app.put("/cast", {.validate = {.body = {{"ids", "array<integer>"}}}, .docs = {.operation_id = "count"}},
          [](fw::Request& req, fw::Response& res) {
            res.json(Note{static_cast<std::int64_t>(req.valid<routes::notes::Count::Body>().ids.size()), ""});
          });
  app.put("/helper", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "help"}},
          [](fw::Request&, fw::Response& res) { respond(res, Save::Body{}); });
  app.get("/algorithm", [](fw::Request&, fw::Response& res) {
    std::vector<Save::Body> all;
    std::vector<Note> notes;
    std::transform(all.begin(), all.end(), std::back_inserter(notes), [](const auto& each) { return Note{1, each.text}; });
    res.json(notes);
  });
  app.get("/itself", [](fw::Request&, fw::Response& res) { res.json(Save::Body{}); });
END
sends "responses" "$saved" "PUT /notes/cast 200 Note" "PUT /notes/helper 202 Note" \
  "GET /notes/algorithm 200 array" "GET /notes/itself 200 GetNotesItselfResponse200"

begin "generated types: what handlers send of them has the schemas of their routes"
# schema PATH: of the JSON that `GET` of the path sends, without references.
schema() {
  node -e 'const { paths, components } = JSON.parse(require("fs").readFileSync("document.json"));
    const whole = (value) => (value?.$ref ? whole(components.schemas[value.$ref.split("/").at(-1)])
      : Array.isArray(value) ? value.map(whole)
      : value && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, whole(each)])) : value);
    const { content } = paths[process.argv[1]].get.responses["200"];
    console.log(JSON.stringify(whole(content["application/json"].schema).properties.data));' "$1"
}
notes 'struct Envelope {
  Save::Body note;
  std::optional<routes::notes::Tag::Body> tag;
  routes::notes::Tag::Body::Kind kind;
};
struct Wrong { int id = 0; };' <<'END'
  app.put("/", {.validate = {.query = {{"limit", "integer:1-9=3"}},
                             .body = {{"name", "string:1-9"}, {"kind", "enum:big,very small"},
                                      {"at", {{"x", "integer:0-5"}}}, {"ids", "array<uuid>:1-3"}}},
                .responses = {{"200", {{"id", "integer:1-"}}}}, .docs = {.operation_id = "tag"}},
          [](fw::Request&, fw::Response& res) { res.json(routes::notes::Tag::Response200{7}); });
  app.get("/whole", [](fw::Request&, fw::Response& res) { res.json(routes::notes::Tag::Body{}); });
  app.get("/result", []() -> routes::notes::Tag::Query { return {}; });
  app.get("/response", [] { return routes::notes::Tag::Response200{1}; });
  app.get("/part", [](fw::Request&, fw::Response& res) { res.json(routes::notes::Tag::Body{}.at); });
  app.get("/list", [] { return std::vector<Save::Body>{}; });
  app.get("/maybe", [](fw::Request&, fw::Response& res) { res.json(std::optional<Save::Body>{}); });
  app.get("/either", [](fw::Request& req, fw::Response& res) {
    if (req.query("all")) return res.json(Save::Body{});
    res.json(Note{});
  });
  app.get("/variant", [](fw::Request&, fw::Response& res) {
    res.json(std::variant<std::int64_t, Save::Body>{});
  });
  app.get("/nested", [] { return Envelope{}; });
END
sed -i 's/#include <utility>/&\n#include <optional>\n#include <variant>/' src/routes/notes.cpp
check_status "document" 0 openapi
check_empty "messages" "$(cat stderr)"
save_body='{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}'
tag_at='{"type":"object","properties":{"x":{"type":"integer","minimum":0,"maximum":5}},"required":["x"]}'
tag_kind='{"type":"string","enum":["big","very small"]}'
tag_body='{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":9},"kind":'$tag_kind',"at":'$tag_at',"ids":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","format":"uuid"}}},"required":["name","kind","at","ids"]}'
check_equal "a body" "$tag_body" "$(schema /notes/whole)"
check_equal "a query that is returned" '{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":9,"default":3}},"required":["limit"]}' "$(schema /notes/result)"
check_equal "a response of another route" '{"type":"object","properties":{"id":{"type":"integer","minimum":1}},"required":["id"]}' "$(schema /notes/response)"
check_equal "a member" "$tag_at" "$(schema /notes/part)"
check_equal "a list" '{"type":"array","items":'"$save_body}" "$(schema /notes/list)"
check_equal "an optional" '{"oneOf":['"$save_body"',{"type":"null"}]}' "$(schema /notes/maybe)"
check_equal "alternatives" '{"anyOf":['"$save_body"',{"type":"object","properties":{"id":{"type":"integer","default":0},"text":{"type":"string"}},"required":["id","text"]}]}' "$(schema /notes/either)"
check_equal "a variant" '{"oneOf":[{"type":"integer"},'"$save_body]}" "$(schema /notes/variant)"
check_equal "a struct with them" '{"type":"object","properties":{"note":'"$save_body"',"tag":'"$tag_body"',"kind":'"$tag_kind"'},"required":["note","kind"]}' "$(schema /notes/nested)"

begin "generated types: what handlers send of them is compared with the declared responses"
right='  app.put("/right", {.validate = {.body = {{"text", "string:1-5"}}},
                     .responses = {{"200", {{"text", "string"}}}}, .docs = {.operation_id = "right"}},
          [](fw::Request& req, fw::Response& res) { res.json(req.valid<routes::notes::Right::Body>()); });
  app.get("/list", {.responses = {{"200", fw::array_of({{"text", "string"}})}}},
          [] { return std::vector<Save::Body>{}; });
  app.get("/own", {.responses = {{"200", {{"id", "integer"}}}}, .docs = {.operation_id = "own"}},
          [] { return routes::notes::Own::Response200{1}; });'
notes '' <<<"$right"
sends "right" "$saved" "PUT /notes/right 200 RightResponse200" "GET /notes/list 200 array" \
  "GET /notes/own 200 OwnResponse200"
notes '' <<END
$right
  app.get("/wrong", {.responses = {{"200", {{"text", "string"}, {"id", "integer"}}}}}, [] { return Save::Body{}; });
  app.get("/wronglist", {.responses = {{"200", fw::array_of({{"text", "uuid"}, {"id", "integer"}})}}},
          [](fw::Request&, fw::Response& res) { res.json(std::vector<Save::Body>{}); });
  app.put("/status", {.validate = {.body = {{"text", "string"}}}, .responses = {{"200", {{"text", "string"}}}},
                      .docs = {.operation_id = "status"}},
          [](fw::Request& req, fw::Response& res) { res.json(req.valid<routes::notes::Status::Body>(), 202); });
END
check_status "wrong" 1 openapi
check_equal "errors" "3" "$(grep -c ' error: ' stderr)"
has stderr "the member 'id' of the data of status 200 is missing [response-mismatch]" \
  "the member 'id' of the data of status 200 is missing [response-mismatch]" \
  "status 202 has no schema in 'responses' [response-mismatch]" \
  "help: add the schema of status 202 to 'responses'"

begin "generated types: errors whose texts have generated values"
notes '' <<'END'
  app.put("/size", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "size"}},
          [](fw::Request& req) -> Note {
            throw fw::HttpError(404, "no " + std::to_string(req.valid<routes::notes::Size::Body>().text.size()));
          });
  app.put("/text", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "text"}},
          [](fw::Request& req) -> Note {
            if (req.query("all")) return {};
            throw fw::HttpError(404, "no " + req.valid<routes::notes::Text::Body>().text, "NO_NOTE");
          });
END
sends "errors" "$saved" "PUT /notes/size 200 Note, 404 Error" "PUT /notes/text 200 Note, 404 NoNote|Error"

begin "generated types: handlers that are made of them"
notes 'template <class Op>
struct Handler {
  void operator()(fw::Request& req, fw::Response& res) const { res.json(Note{1, req.valid<typename Op::Body>().text}, 202); }
};
struct Show final : Handler<routes::notes::Show> {};
template <class Op>
void echo(fw::Request& req, fw::Response& res) { res.json(Note{1, req.valid<typename Op::Body>().text}, 203); }' <<'END'
  app.put("/base", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "show"}}, Show{});
  app.put("/class", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "renew"}},
          Handler<routes::notes::Renew>{});
  app.put("/function", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "echo"}},
          echo<routes::notes::Echo>);
END
sends "handlers" "$saved" "PUT /notes/base 202 Note" "PUT /notes/class 202 Note" "PUT /notes/function 203 Note"

begin "generated types: types of other route files, in headers and in templates"
cat >src/services/store.hpp <<'END'
#pragma once
#include <map>
#include <queue>
#include <utility>
#include <vector>
#include "notes.routes.hpp"
using Body = routes::notes::Save::Body;
using Pair = std::pair<Body, std::vector<Body>>;
inline constexpr auto later = [](const Body& a, const Body& b) { return a.text < b.text; };
using Queue = std::priority_queue<Body, std::vector<Body>, decltype(later)>;
END
notes '' </dev/null
cat >src/routes/lists.cpp <<'END'
#include <fairway/fairway.hpp>
#include "lists.routes.hpp"
#include "services/store.hpp"
struct Text { std::string text; };
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", [] { const Pair pair; return Text{pair.first.text}; });
});
END
sends "other files" "GET /lists 200 Text" "$saved"
rm -r src/routes/lists.cpp src/services

begin "generated types: errors beside them are reported once, and those in handlers by the build"
notes 'int count = "x";' <<'END'
  app.get("/a", [] { const Save::Body body; return Note{1, body.txt}; });
  app.put("/b", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "change"}},
          [](fw::Request& req) { const auto& body = req.valid<routes::notes::Change::Body>(); (void)body; });
END
check_status "errors" 1 openapi
check_equal "errors" "2" "$(grep -c ' error: ' stderr)"
has stderr "src/routes/notes.cpp:12:5: error: cannot initialize a variable of type 'int'" \
  "error: the handler returns nothing and cannot send a response [bad-registration]"

begin "generated types: handlers that are made of parts of their operation, and a chain of operations"
notes 'template <class In, class Out>
struct Typed {
  void operator()(fw::Request& req, fw::Response& res) const { res.json(Note{1, req.valid<In>().text}, 202); }
};
template <class Part, class Op>
void kinded(fw::Request& req, fw::Response& res) { res.json(Note{1, req.valid<typename Op::Body>().text}, 203); }' <<'END'
  app.put("/a", {.validate = {.body = {{"text", "string"}, {"kind", "enum:big,small"}}},
                 .responses = {{"202", {{"id", "integer"}, {"text", "string"}}}}, .docs = {.operation_id = "make"}},
          Typed<routes::notes::Make::Body, routes::notes::Make::Response202>{});
  app.put("/b", {.validate = {.body = {{"text", "string"}, {"kind", "enum:big,small"}}}, .docs = {.operation_id = "one"}},
          kinded<routes::notes::Make::Body::Kind, routes::notes::One>);
  app.put("/c", {.validate = {.body = {{"text", "string"}, {"kind", "enum:big,small"}}}, .docs = {.operation_id = "two"}},
          kinded<routes::notes::One::Body::Kind, routes::notes::Two>);
END
sends "parts" "$saved" "PUT /notes/a 202 MakeResponse202" "PUT /notes/b 203 Note" "PUT /notes/c 203 Note"

begin "generated types: an unknown operation is one error"
notes 'Note view(const routes::notes::Sav::Body& body) { return {1, body.text}; }' <<'END'
  app.get("/", [] { return view({}); });
END
check_status "errors" 1 openapi
check_equal "errors" "1" "$(grep -c ' error: ' stderr)"
has stderr "no route of 'src/routes/notes.cpp' has the type 'Sav' [unknown-route-type]" \
  "help: did you mean 'Save'?"

begin "generated types: a file that cannot have types is no error of the files that use them"
notes '' <<'END'
  app.put("/", {.validate = {.body = {{"text", "strin"}}}, .docs = {.operation_id = "change"}}, fw::Handler());
END
cat >src/routes/lists.cpp <<'END'
#include <fairway/routes.hpp>
#include <string>
#include "lists.routes.hpp"
#include "notes.routes.hpp"
using Item = routes::notes::Save::Body;
std::string text(const Item& item) { return item.text; }
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "add"}},
           [](fw::Request& req, fw::Response& res) { res.json(req.valid<routes::lists::Add::Body>().text); });
});
END
check_status "errors" 1 openapi
lacks stderr "lists.cpp"
sed -i '/notes.routes.hpp/d' src/routes/lists.cpp
notes '' </dev/null
check_status "a missing include" 1 openapi
check_equal "errors" "1" "$(grep -c ' error: ' stderr)"
has stderr "'routes::notes::Save::Body' is declared in 'notes.routes.hpp', which is not included [missing-types-header]"
rm src/routes/lists.cpp

begin "generated types: a file with an error in its schemas is read without its types"
notes '' <<'END'
  app.put("/", {.validate = {.body = {{"text", "strin"}}}, .docs = {.operation_id = "change"}},
          [](fw::Request& req) { return Note{1, req.valid<routes::notes::Change::Body>().text}; });
END
check_status "errors" 1 openapi
check_equal "errors" "1" "$(grep -c ' error: ' stderr)"
has stderr "[bad-schema]"

begin "generated types: a change of a schema changes what other files are read with"
notes '' </dev/null
cat >src/routes/lists.cpp <<'END'
#include <fairway/routes.hpp>
#include "notes.routes.hpp"
template <class T>
constexpr bool has_author = requires(T body) { body.author; };
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", [](fw::Request&, fw::Response& res) {
    const routes::notes::Save::Body body;
    if constexpr (has_author<routes::notes::Save::Body>) res.status(202);
    res.json(body.text);
  });
});
END
sends "before" "GET /lists 200 string" "$saved"
sed -i 's/{{"text", "string"}}/{{"text", "string"}, {"author", "string"}}/' src/routes/notes.cpp
sends "after" "GET /lists 202 string" "$saved"
sends "again" "GET /lists 202 string" "$saved"

begin "generated types: a file with types of its own is read twice"
rm -r cache src/routes/lists.cpp
notes 'Note view(const Save::Body& body) { return {1, body.text}; }' <<'END'
  app.get("/", [] { return view({}); });
END
sends "two readings" "$saved" "GET /notes 200 Note"
check_equal "readings" 2 "$(find cache/results -name '*.result' | wc -l)"

begin "generated types: errors that the standard library constructs from generated values"
notes 'struct Missing : fw::HttpError {
  explicit Missing(const Save::Body& body) : fw::HttpError(404, "no " + body.text, "NO_NOTE") {}
};
struct Failed : fw::HttpError {
  Failed(int status, const Save::Body& body) : fw::HttpError(status, body.text, "FAILED") {}
};' <<'END'
  app.put("/unique", [](fw::Request&) -> Note { throw *std::make_unique<Missing>(Save::Body{}); });
  app.put("/list", [](fw::Request&) -> Note {
    std::vector<Missing> errors;
    errors.emplace_back(Save::Body{});
    throw errors.front();
  });
  app.put("/optional", [](fw::Request&) -> Note {
    std::optional<Failed> error;
    error.emplace(409, Save::Body{});
    throw *error;
  });
  app.put("/inplace", [](fw::Request&) -> Note {
    const std::optional<Failed> error(std::in_place, 410, Save::Body{});
    throw *error;
  });
  app.put("/shared", [](fw::Request& req) -> Note {
    const Save::Body body;
    const auto error = std::make_shared<Failed>(req.query("all") ? 403 : 404, body);
    throw *error;
  });
  app.put("/pointer", [](fw::Request&) -> Note {
    std::rethrow_exception(std::make_exception_ptr(Missing(Save::Body{})));
  });
END
sed -i 's/#include <utility>/&\n#include <exception>\n#include <memory>\n#include <optional>/' src/routes/notes.cpp
sends "made errors" "$saved" "PUT /notes/unique 200 Note, 404 NoNote|Error" "PUT /notes/list 200 Note, 404 NoNote|Error" \
  "PUT /notes/optional 200 Note, 409 Failed|Error" "PUT /notes/inplace 200 Note, 410 Failed|Error" \
  "PUT /notes/shared 200 Note, 403 Failed|Error, 404 Failed|Error" "PUT /notes/pointer 200 Note, 404 NoNote|Error"

begin "generated types: headers that are included if they exist"
notes '#if __has_include("notes.routes.hpp") && !__has_include("other.routes.hpp")
#include "lists.routes.hpp"
routes::lists::Add::Body item(const Save::Body& body) { return {body.text}; }
#endif' <<'END'
  app.get("/", [] { return Note{1, item({}).text}; });
END
cat >src/routes/lists.cpp <<'END'
#include <fairway/routes.hpp>
#if __has_include("lists.routes.hpp")
#include "lists.routes.hpp"
#else
#error "no generated types"
#endif
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "add"}},
           [](fw::Request& req, fw::Response& res) { res.json(req.valid<routes::lists::Add::Body>()); });
});
END
sends "condition" "POST /lists 200 AddResponse200" "$saved" "GET /notes 200 Note"
rm src/routes/lists.cpp

begin "generated types: an include of a route file that does not exist is an error"
mkdir -p src/services
cat >src/services/store.hpp <<'END'
#pragma once
#include "admin.routes.hpp"
using Admin = routes::admin::Create::Body;
inline std::string name_of(const Admin& admin) { return admin.name; }
END
notes '#include "services/store.hpp"
#include "admin.routes.hpp"' <<'END'
  app.get("/", [] { const routes::admin::Create::Body body; return Note{1, body.name}; });
END
check_status "errors" 1 openapi
check_equal "errors" "2" "$(grep -c ' error: ' stderr)"
has stderr "src/services/store.hpp:2:10: error: 'admin.routes.hpp' is not the generated header of any route file [missing-types-header]" \
  "src/routes/notes.cpp:13:10: error: 'admin.routes.hpp' is not the generated header of any route file [missing-types-header]" \
  "help: remove the include, or add 'routes/admin.cpp'"
printf '#include <fairway/routes.hpp>\nint broken = ;\n' >src/routes/admin.cpp
check_status "a file with errors" 1 openapi
lacks stderr "missing-types-header"
rm src/routes/admin.cpp

begin "generated types: an alias of an operation that was renamed is an error in its header"
cat >src/services/store.hpp <<'END'
#pragma once
#include "notes.routes.hpp"
using Body = routes::notes::Store::Body;
inline std::string text_of(const Body& body) { return body.text; }
END
notes '#include "services/store.hpp"
Note view(const Body& body) { return {1, body.text}; }' <<'END'
  app.get("/a", [] { return view({}); });
  app.get("/b", [] { const Body body; return Note{1, body.text}; });
  app.get("/c", [](fw::Request&, fw::Response& res) { res.json(view({})); });
END
check_status "errors" 1 openapi
check_equal "errors" "1" "$(grep -c ' error: ' stderr)"
has stderr "src/services/store.hpp:3:14: error: no route of 'src/routes/notes.cpp' has the type 'Store' [unknown-route-type]"
rm -r src/services

begin "generated types: operations that are named through a using-directive"
notes 'using namespace routes::notes;
template <class Op>
struct Handler {
  void operator()(fw::Request& req, fw::Response& res) const { res.json(Note{1, req.valid<typename Op::Body>().text}, 202); }
};
Note view(const Renew::Body& body) { return {1, body.text}; }' <<'END'
  app.put("/a", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "renew"}}, Handler<Renew>{});
  app.put("/b", {.validate = {.body = {{"text", "string"}}}, .docs = {.operation_id = "change"}},
          [](fw::Request& req, fw::Response& res) { res.json(req.valid<Change::Body>(), 203); });
  app.get("/c", [] { return view({}); });
END
sends "using-directive" "$saved" "PUT /notes/a 202 Note" "PUT /notes/b 203 ChangeResponse203" "GET /notes/c 200 Note"

begin "generated types: an include of a route file of another application of the build is no error"
mkdir -p other/routes build
notes '#include "admin.routes.hpp"' <<'END'
  app.get("/", [](fw::Request&, fw::Response& res) { const routes::admin::Create::Body body; res.text(body.name); });
END
# database_entry NAME FILE: an entry of the compilation database.
database_entry() {
  local flags="-std=c++20 -I$include -Dfairway_default_export=fairway_export_$1_routes_2f$(basename "$2" .cpp)_2ecpp"
  echo "{\"directory\": \"$PWD/build\", \"file\": \"$PWD/$2\",
         \"command\": \"c++ $flags -o CMakeFiles/app.dir/$2.o -c $PWD/$2\"}"
}
build() {
  "$fairway" build --cache-dir cache --out-dir out -p build "$@"
}
echo "[$(database_entry one src/routes/notes.cpp), $(database_entry two other/routes/admin.cpp)]" >build/compile_commands.json
check_status "no such file" 1 build --name one
has stderr "src/routes/notes.cpp:12:10: error: 'admin.routes.hpp' is not the generated header of any route file"
echo 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router&) {});' >other/routes/admin.cpp
check_status "flags of the name" 0 build --name one
check_status "flags of the object files" 0 build --name one --objects build/CMakeFiles/app.dir
rm -r other build

# compiles FILE...: builds the application, and compiles the generated types and these route files.
compiles() {
  "$fairway" build --cache-dir cache --out-dir out -- -std=c++20 -Isrc -I"$include" || return
  local file name
  for file in out/types.cpp "$@"; do
    name=$(basename "$file" .cpp)
    "$cxx" -fsyntax-only -std=c++20 -I"$include" -Isrc -Iout/include -Iout/include/fairway/routes \
      -Dfairway_default_export="fairway_export_routes_2f${name}_2ecpp" "$file" || return
  done
}

begin "generated types: structs with members of generated enumerations compile, and have their names"
mkdir -p src/services
cat >src/services/out.hpp <<'END'
#pragma once
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>
#include "notes.routes.hpp"
using Kind = routes::notes::Tag::Body::Kind;
struct Out {
  Kind kind;
  Kind other = Kind::very_small;
  std::optional<Kind> maybe;
  std::vector<Kind> list;
  std::map<std::string, Kind> map;
  std::variant<std::int64_t, Kind> variant;
};
END
tag='  app.put("/", {.validate = {.body = {{"kind", "enum:big,very small"}}}, .docs = {.operation_id = "tag"}},
          [](fw::Request& req) { return Own{req.valid<routes::notes::Tag::Body>().kind, {}}; });'
notes '#include "services/out.hpp"
struct Own { Kind kind; Out out; };' <<END
$tag
  app.post("/own", [](fw::Body<Own> own) { return *own; });
END
cat >src/routes/lists.cpp <<'END'
#include <fairway/fairway.hpp>
#include "lists.routes.hpp"
#include "services/out.hpp"
namespace {
struct Filter { Kind kind = Kind::big; };
struct List { std::vector<Out> outs; Kind kind; };
}
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", [](fw::Query<Filter> filter) { return List{{}, filter->kind}; });
  app.post("/", [](fw::Body<Out> out) { return *out; });
  app.put("/", [](fw::Body<std::vector<Kind>> kinds) { return kinds->size(); });
});
END
check "code" compiles src/routes/notes.cpp src/routes/lists.cpp
cat >names.cpp <<'END'
#include "out/types.cpp"
constexpr auto& values = fw::detail::TypeCode<Kind>::kValues;
static_assert(values[0].name == "big" && values[0].value == Kind::big);
static_assert(values[1].name == "very small" && values[1].value == Kind::very_small);
END
check "names" "$cxx" -fsyntax-only -std=c++20 -I"$include" -Isrc -Iout/include/fairway/routes names.cpp
check_status "document" 0 openapi
check_equal "a default" '"very small"' \
  "$(node -p 'JSON.stringify(JSON.parse(require("fs").readFileSync("document.json")).components.schemas.Out.properties.other.default)')"
rm -r src/routes/lists.cpp src/services

begin "generated types: structs in responses that options name compile"
notes 'struct Wrap { std::vector<Save::Body> items; std::optional<Save::Body> last; };
struct Listed { Save::Body item; FW_JSON(Listed, (item, "entry")) };' <<'END'
  app.get("/a", {.responses = {{"200", fw::type<Save::Body>}}},
          [](fw::Request&, fw::Response& res) { res.json(Save::Body{}); });
  app.get("/b", {.responses = {{"200", fw::type<Wrap>}}}, [] { return Wrap{}; });
  app.get("/c", {.responses = {{"200", fw::type<std::vector<Save::Body>>}}},
          [] { return std::vector<Save::Body>{}; });
  app.get("/d", {.responses = {{"200", fw::type<Listed>}}}, [] { return Listed{}; });
END
sed -i 's/#include <utility>/&\n#include <optional>\n#include <fairway\/json.hpp>/' src/routes/notes.cpp
check "code" compiles src/routes/notes.cpp

begin "generated types: no request is read into a generated struct"
notes 'struct In { Save::Body item; };
struct Outer { std::vector<In> all; };
struct Wrap { std::vector<Save::Body> items; };' <<'END'
  app.put("/a", [](fw::Body<In> in) { return in->item; });
  app.put("/b", [](fw::Body<Save::Body> in) { return *in; });
  app.put("/c", [](fw::Body<Outer> in) { return in->all.size(); });
  app.put("/d", {.validate = {.body = fw::type<Save::Body>}}, [](fw::Request&) { return 1; });
  app.put("/e", {.validate = {.body = fw::type<Wrap>}}, [](fw::Request&) { return 1; });
END
check_status "errors" 1 openapi
check_equal "errors" "4" "$(grep -c ' error: ' stderr)"
has stderr "src/routes/notes.cpp:12:24: error: no request is read into the generated struct 'routes::notes::Save::Body' of the member 'item' [unsupported-type]" \
  "src/routes/notes.cpp:19:20: error: no request is read into the generated struct 'routes::notes::Save::Body' [unsupported-type]" \
  "src/routes/notes.cpp:21:39: error: no request is read into the generated struct 'routes::notes::Save::Body' [unsupported-type]" \
  "src/routes/notes.cpp:22:39: error: no request is read into 'Wrap', which contains a generated struct [unsupported-type]" \
  "help: declare the input of the route with a schema map in '.validate', or write a struct of the application"

begin "generated types: pairs of maps with variants keep the const of their key"
notes '#include <fairway/types.hpp>
struct First { fw::Literal<"a"> kind; };
struct Second { fw::Literal<"b"> kind; };' <<END
  app.post("/either", [](fw::Body<std::map<std::string, std::variant<First, Second>>> all) { return all->size(); });
END
sed -i 's/#include <utility>/&\n#include <map>\n#include <variant>/' src/routes/notes.cpp
check "code" compiles src/routes/notes.cpp

begin "generated types: results that name parts of their operation within template arguments"
notes 'using namespace routes::notes;' <<'END'
  app.get("/a", {.responses = {{"200", {{"id", "integer"}}}, {"404", {{"left", "integer"}}}}, .docs = {.operation_id = "find"}},
          []() -> std::variant<Find::Response200, fw::Status<404, Find::Response404>> { return Find::Response200{1}; });
END
sed -i 's/#include <utility>/&\n#include <variant>/' src/routes/notes.cpp
sends "results" "$saved" "GET /notes/a 200 FindResponse200, 404 FindResponse404|Error"

begin "generated types: components of shared structs have the noun of the routes that declare them"
notes '' <<'END'
  app.post("/order", {.responses = {{"201", {{"id", "integer"}}}}, .docs = {.operation_id = "createOrder"}},
           [](fw::Request&, fw::Response& res) { res.json(routes::notes::Order{1}, 201); });
  app.get("/order", {.responses = {{"200", {{"id", "integer"}}}}, .docs = {.operation_id = "getOrder"}},
          [] { return routes::notes::Order{1}; });
  app.put("/order", {.docs = {.operation_id = "setState"}}, [] { return routes::notes::Order{1}; });
END
sends "operations" "$saved" "POST /notes/order 201 Order" "GET /notes/order 200 Order" "PUT /notes/order 200 Order"
