// Types that have only a `from_json` of their own, and no `to_json`.
#include <fairway/fairway.hpp>
#include <fairway/generated/type_code.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/table_builder.hpp"

namespace from_json_test {

using fw::Json;
using fw::Location;
using fw::detail::ReadByFromJson;

/// A function in the namespace.
struct Draft {
  std::string title;
};
void from_json(const Json& json, Draft& draft) { json.at("name").get_to(draft.title); }

/// A friend.
struct Visit {
  int number = 0;
  friend void from_json(const Json& json, Visit& visit) { json.at("n").get_to(visit.number); }
};

/// A template for any kind of JSON.
struct Point {
  int x = 0;
};
template <class AnyJson>
void from_json(const AnyJson& json, Point& point) {
  json.at("x").get_to(point.x);
}

/// A template for each page.
template <class T>
struct Page {
  T first = {};
};
template <class T>
void from_json(const Json& json, Page<T>& page) {
  json.at("first").get_to(page.first);
}

/// A template for the types of a concept.
struct Entity {};
struct Tenant : Entity {
  int id = 0;
};
template <std::derived_from<Entity> T>
void from_json(const Json& json, T& entity) {
  json.at("id").get_to(entity.id);
}

/// A specialization of nlohmann's template.
struct Shelf {
  int boxes = 0;
};

/// A specialization that makes the value.
class Ticket {
 public:
  explicit Ticket(int made) : number(made) {}
  int number;
};

/// The function of the base reads none of its members.
struct LongDraft : Draft {
  std::string text;
};
/// A function of its own, too.
struct SignedDraft : Draft {
  std::string author;
};
void from_json(const Json& json, SignedDraft& draft) {
  from_json(json, static_cast<Draft&>(draft));
  json.at("by").get_to(draft.author);
}

/// What the generated code reads otherwise than the function.
struct Parcel {
  std::string title;
  std::string street;
};
void from_json(const Json& json, Parcel& parcel) { parcel.title = json.dump(); }

/// No function.
struct Plain {
  int id = 0;
};
struct Listed {
  Plain plain;
  FW_JSON(Listed, plain)
};

/// A message of a socket.
struct Say {
  std::string text;
};
/// A message of the same name that the function of its base does not read.
struct Unread : Say {
  static constexpr std::string_view kEventName = "say";
  int number = 0;
};
void from_json(const Json& json, Say& say) { json.at("text").get_to(say.text); }

}  // namespace from_json_test

template <>
struct fw::detail::TypeCode<from_json_test::Parcel> {
  static void read(JsonReader& in, from_json_test::Parcel& out) {
    static constexpr std::string_view kMembers[] = {"title", "street"};
    for (JsonObject object(in, kMembers, 0b11); object.next();) {
      read_member(in, object.member() == 0 ? out.title : out.street);
    }
  }
  static void write(JsonWriter& out, const from_json_test::Parcel& value) {
    out.string(value.title);
  }
};

template <>
struct nlohmann::adl_serializer<from_json_test::Shelf> {
  static void from_json(const fw::Json& json, from_json_test::Shelf& shelf) {
    json.at("boxes").get_to(shelf.boxes);
  }
};
template <>
struct nlohmann::adl_serializer<from_json_test::Ticket> {
  static from_json_test::Ticket from_json(const fw::Json& json) {
    return from_json_test::Ticket(json.at("ticket").get<int>());
  }
};

namespace from_json_test {

constexpr std::string_view kParcelSchema[] = {
    R"({"type":"object","required":["title","street"],"properties":{"title":{"type":"string"},)",
    R"("street":{"type":"string"}}})"};
constinit const fw::detail::TypeRow kParcelRow =
    fw::detail::type_row<Parcel>("from_json_test::Parcel", kParcelSchema);

static_assert(ReadByFromJson<Draft> && ReadByFromJson<Visit> && ReadByFromJson<Point>);
static_assert(ReadByFromJson<Page<int>> && ReadByFromJson<Tenant>);
static_assert(ReadByFromJson<Shelf> && ReadByFromJson<Ticket> && ReadByFromJson<SignedDraft>);
static_assert(ReadByFromJson<std::vector<Draft>> && ReadByFromJson<std::map<std::string, Visit>>);
static_assert(!ReadByFromJson<LongDraft> && !ReadByFromJson<std::vector<LongDraft>>);
static_assert(!ReadByFromJson<Plain> && !ReadByFromJson<Listed> && !ReadByFromJson<Json>);
static_assert(!ReadByFromJson<std::vector<Plain>> && !ReadByFromJson<std::string>);

TEST_CASE("from_json: the validated input of a request is read by it") {
  fw::support::OneFileApp app([](fw::Router& router) {
    router.post("/",
                {.validate = {.body = {{"name", "string"},
                                       {"n", "integer"},
                                       {"x", "integer"},
                                       {"first", "integer"},
                                       {"id", "integer"},
                                       {"boxes", "integer"},
                                       {"ticket", "integer"},
                                       {"by", "string"}}}},
                [](fw::Request& req, fw::Response& res) {
                  const auto& draft = req.valid<SignedDraft>(Location::body);
                  CHECK(&draft == &req.valid<SignedDraft>(Location::body));
                  CHECK_THROWS_AS(req.valid<LongDraft>(Location::body), std::logic_error);
                  res.json({{"title", req.valid<Draft>(Location::body).title},
                            {"author", draft.title + draft.author},
                            {"number", req.valid<Visit>(Location::body).number},
                            {"x", req.valid<Point>(Location::body).x},
                            {"first", req.valid<Page<int>>(Location::body).first},
                            {"id", req.valid<Tenant>(Location::body).id},
                            {"boxes", req.valid<Shelf>(Location::body).boxes},
                            {"ticket", req.valid<Ticket>(Location::body).number}});
                });
    router.post("/visits", {.validate = {.body = {{"first", {{"n", "integer"}}}}}},
                [](fw::Request& req, fw::Response& res) {
                  const auto& visits = req.valid<std::map<std::string, Visit>>(Location::body);
                  res.json(visits.at("first").number);
                });
  });
  const auto response = app.request("POST", "/")
                            .json({{"name", "a"},
                                   {"n", "1"},
                                   {"x", 2},
                                   {"first", 3},
                                   {"id", 4},
                                   {"boxes", 5},
                                   {"ticket", 6},
                                   {"by", "b"}})
                            .send();
  CHECK(response.json()["data"] == Json{{"title", "a"},
                                        {"author", "ab"},
                                        {"number", 1},
                                        {"x", 2},
                                        {"first", 3},
                                        {"id", 4},
                                        {"boxes", 5},
                                        {"ticket", 6}});
  const Json visits = {{"first", {{"n", 7}}}};
  CHECK(app.request("POST", "/visits").json(visits).send().json()["data"] == 7);
}

TEST_CASE("from_json: a type that the route declares is read by the generated code") {
  fw::support::TableBuilder table;
  table.type_rows({&kParcelRow}).routes([](fw::Router& router) {
    router.post("/", {.validate = {.body = fw::type<Parcel>}},
                [](fw::Request& req, fw::Response& res) {
                  const auto& parcel = req.valid<Parcel>(Location::body);
                  CHECK(&parcel == &req.valid<Parcel>(Location::body));
                  res.json(parcel.title + parcel.street);
                });
    router.socket("/", {.receive = {{"parcel", fw::type<Parcel>}}, .send = {{"read", {}}}},
                  [](fw::Request&, fw::Socket& socket) {
                    socket.on<Parcel>([](const Parcel& parcel, fw::Socket& from) {
                      CHECK(parcel.title + parcel.street == "ab");
                      from.send("read");
                    });
                  });
  });
  for (const bool typed_path : {true, false}) {
    fw::Config config = fw::testing::TestApp::test_config();
    config.typed_path = typed_path;
    fw::testing::TestApp app(table.table(), config);
    const Json parcel = {{"title", "a"}, {"street", "b"}};
    CHECK(app.request("POST", "/").json(parcel).send().json()["data"] == "ab");
    auto socket = app.socket("/");
    socket.send("parcel", parcel);
    CHECK(socket.next()->json() == Json{{"type", "read"}});
  }
}

TEST_CASE("from_json: messages of sockets are read by it") {
  fw::support::OneFileApp app([](fw::Router& router) {
    router.socket(
        "/", {.receive = {{"say", {{"text", "string"}}}}, .send = {{"said", {{"text", "string"}}}}},
        [](fw::Request&, fw::Socket& socket) {
          socket.on<Say>([](const Say& say, fw::Socket& from) {
            from.send("said", {{"text", say.text + "!"}});
          });
          CHECK_THROWS_AS(socket.on<Unread>([](const Unread&) {}), std::invalid_argument);
        });
  });
  auto socket = app.socket("/");
  CHECK(socket.response.status == 101);
  socket.send("say", {{"text", "hello"}});
  CHECK(socket.next()->json() == Json{{"type", "said"}, {"text", "hello!"}});
}

}  // namespace from_json_test
