// Emitted decoders against the general path: whatever a decoder accepts, parsing, validating and
// converting must accept with the same result.
#include <fairway/generated/field_reader.hpp>
#include <fairway/generated/json_reader.hpp>
#include <fairway/json_writer.hpp>
#include <fairway/routes/plain.routes.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "emit/struct_types.hpp"
#include "schema/node.hpp"

namespace codecs_test {

namespace {

using Body = routes::plain::CreatePlain::Body;
using fw::schema::Field;
using fw::schema::Kind;
using fw::schema::Node;

Field field(const std::string& name, const std::string& dsl) {
  return {name, std::get<Node>(fw::schema::parse_dsl(dsl))};
}

Field field(const std::string& name, Kind kind, std::vector<Field> members, bool required = true) {
  Node object;
  object.kind = Kind::object;
  object.fields = std::move(members);
  object.required = required;
  if (kind == Kind::object) return {name, object};
  Node array;
  array.kind = Kind::array;
  array.items = std::make_shared<const Node>(std::move(object));
  return {name, array};
}

/// The schema of `Body`, as emitted_code_test declares it.
const Node& schema() {
  static const Node node = [] {
    const std::vector<Field> address = {field("city", "string:1-20"), field("zip", "string?")};
    Node body;
    body.kind = Kind::object;
    body.fields = {field("id", "uuid"),
                   field("email", "email"),
                   field("count", "integer:1-100"),
                   field("ratio", "number:-0.5-1000?"),
                   field("active", "boolean"),
                   field("state", "enum:open,in-progress,\xC3\xBC"),
                   field("name", "string:1-10"),
                   field("tags", "array<string:-5>:-3?"),
                   field("flags", "array<boolean>"),
                   field("matrix", "array<array<integer>>?"),
                   field("address", Kind::object, address),
                   field("former", Kind::object, address, false),
                   field("stops", Kind::array, {field("at", "datetime"), field("price", "number")}),
                   field("site", "url?"),
                   field("day", "date?"),
                   field("clock", "time?"),
                   field("v4", "ipv4?"),
                   field("v6", "ipv6?"),
                   field("host", "hostname?"),
                   field("gr\xC3\xB6\xC3\x9F"
                         "e",
                         "integer?")};
    return body;
  }();
  return node;
}

using Members = std::vector<std::pair<std::string, std::string>>;

/// Names and JSON texts of a body with every member.
Members members() {
  return {
      {"id", R"("550e8400-e29b-41d4-a716-446655440000")"},
      {"email", R"("ada@example.com")"},
      {"count", "7"},
      {"ratio", "0.25"},
      {"active", "true"},
      {"state", R"("in-progress")"},
      {"name", "\"Ada \xC3\xB6\""},
      {"tags", R"(["a", "b"])"},
      {"flags", "[true,false]"},
      {"matrix", "[[1,-2],[],[9223372036854775807]]"},
      {"address", R"({"city":"Rome","zip":"00100"})"},
      {"former", R"({"city":"Milan"})"},
      {"stops",
       R"([{"at":"2024-01-31T10:20:30Z","price":1e2},{"price":12.95,"at":"2024-01-31T10:20:30Z"}])"},
      {"site", R"("https://example.com/a")"},
      {"day", R"("2024-01-31")"},
      {"clock", R"("10:20:30")"},
      {"v4", R"("127.0.0.1")"},
      {"v6", R"("::1")"},
      {"host", R"("example.com")"},
      {"gr\xC3\xB6\xC3\x9F"
       "e",
       "-5"}};
}

std::string body_of(const Members& members) {
  std::string text = "{";
  for (const auto& [name, value] : members) {
    if (text.size() > 1) text += ',';
    text += '"' + name + "\":" + value;
  }
  return text + '}';
}

std::string with(const std::string& name, const std::string& value) {
  Members changed = members();
  for (auto& [each, old] : changed) {
    if (each == name) old = value;
  }
  return body_of(changed);
}

std::optional<Body> decoded(const std::string& text) {
  fw::detail::JsonReader reader(text);
  Body body;
  fw_decode(reader, body);
  if (!reader.is_complete()) return std::nullopt;
  return body;
}

/// The body as the general path reads it; nothing if it does not accept it.
std::optional<Body> general(const std::string& text) {
  const fw::Json tree = fw::Json::parse(text, nullptr, false);
  if (tree.is_discarded()) return std::nullopt;
  const auto result = fw::schema::validate(schema(), tree, fw::schema::Source::json);
  if (!result.errors.empty()) return std::nullopt;
  return result.value.get<Body>();
}

bool agree(const std::string& text) {
  const auto fast = decoded(text);
  if (!fast) return true;
  const auto truth = general(text);
  return truth && fw::Json(*fast).dump() == fw::Json(*truth).dump();
}

}  // namespace

TEST_CASE("decoders: a typical request body is decoded") {
  const std::string text = body_of(members());
  REQUIRE(general(text));
  REQUIRE(decoded(text));
  CHECK(agree(text));
  CHECK(decoded(text)->stops[1].price == 12.95);
  CHECK(decoded(text)->name == "Ada \xC3\xB6");
  const std::string indented = fw::Json::parse(text).dump(2);  // in another order
  CHECK(decoded(indented));
  CHECK(agree(indented));
  const std::string escaped = with("name", R"("\u00e4\ud83d\ude00\n\/\"")");
  REQUIRE(decoded(escaped));
  CHECK(decoded(escaped)->name == "\xC3\xA4\xF0\x9F\x98\x80\n/\"");
  CHECK(agree(escaped));
}

TEST_CASE("decoders: unusual JSON falls back to the tree") {
  const std::string whole = body_of(members());
  std::string duplicate = whole;
  duplicate.insert(1, R"("count":8,)");
  std::string unknown = whole;
  unknown.insert(1, R"("other":[1,2],)");
  for (const std::string& text : {with("count", "\"7\""),
                                  with("count", "7.0"),
                                  with("count", "07"),
                                  with("count", "0"),
                                  with("count", "101"),
                                  with("count", "+7"),
                                  with("count", "1e1"),
                                  with("count", "null"),
                                  with("ratio", "-0.6"),
                                  with("ratio", "1e4"),
                                  with("ratio", "-0"),
                                  with("ratio", ".5"),
                                  with("ratio", "5."),
                                  with("ratio", "1e"),
                                  with("active", "\"true\""),
                                  with("active", "TRUE"),
                                  with("state", "\"closed\""),
                                  with("name", "\"\""),
                                  with("name", "\"12345678901\""),
                                  with("name", "\"\t\""),
                                  with("name", "\"\xC3\""),
                                  with("name", R"("\ud800")"),
                                  with("name", R"("\x")"),
                                  with("name", "\"a"),
                                  with("tags", R"(["a","b","c","d"])"),
                                  with("tags", R"(["123456"])"),
                                  with("tags", R"(["a",])"),
                                  with("tags", R"([,"a"])"),
                                  with("tags", R"(["a" "b"])"),
                                  with("matrix", "[[9223372036854775808]]"),
                                  with("address", "{}"),
                                  with("address", R"({"city":"Rome",})"),
                                  with("address", R"({"ci\u0074y":"Rome"})"),
                                  with("former", "null"),
                                  with("email", "\"ada\""),
                                  with("id", "\"1\""),
                                  duplicate,
                                  unknown,
                                  whole + "x",
                                  whole + "{}",
                                  whole.substr(0, whole.size() - 1),
                                  std::string(),
                                  '[' + whole,
                                  "\xEF\xBB\xBF" + whole,
                                  whole + '\0'}) {
    CAPTURE(text);
    CHECK_FALSE(decoded(text));
  }
}

TEST_CASE("decoders: mutated bodies give the same result with and without the tree") {
  static const std::vector<std::string> kValues = {"null",
                                                   "true",
                                                   "false",
                                                   "0",
                                                   "-0",
                                                   "1",
                                                   "7",
                                                   "100",
                                                   "1e2",
                                                   "-1.5",
                                                   "0.1",
                                                   "1E-3",
                                                   "1e400",
                                                   "123456789012345678901234567890",
                                                   "9007199254740993",
                                                   "0.30000000000000004",
                                                   "5e-324",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "18446744073709551615",
                                                   "1.0",
                                                   "\"\"",
                                                   "\"7\"",
                                                   "\"open\"",
                                                   "\"\\u00fc\"",
                                                   "\"\xC3\xBC\"",
                                                   "\"a\\\"b\"",
                                                   "\"\\\\\"",
                                                   "\"true\"",
                                                   "[]",
                                                   "[[]]",
                                                   "[1,2]",
                                                   "[\"a\"]",
                                                   "[true]",
                                                   "{}",
                                                   R"({"city":"x"})",
                                                   R"({"zip":"1"})"};
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  std::size_t accepted = 0;
  std::string disagreed;
  for (int round = 0; round < 20'000 && disagreed.empty(); ++round) {
    Members body = members();
    for (std::size_t count = below(4); count > 0; --count) {
      const std::size_t at = below(body.size());
      switch (below(5)) {
        case 0:
          body.erase(body.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 1:
          body.insert(body.begin() + static_cast<std::ptrdiff_t>(below(body.size())), body[at]);
          break;
        case 2:
          std::swap(body[at], body[below(body.size())]);
          break;
        default:
          body[at].second = kValues[below(kValues.size())];
      }
    }
    std::string text = body_of(body);
    for (std::size_t count = below(3); count > 0; --count) {
      static constexpr std::string_view kBytes = " \n\t\"\\{}[],:0-.eE+tu\x01\x80\xC3\xBC";
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = kBytes[below(kBytes.size())];
          break;
        case 1:
          text.insert(at, 1, kBytes[below(kBytes.size())]);
          break;
        default:
          text.erase(at, 1);
      }
    }
    if (decoded(text)) ++accepted;
    if (!agree(text)) disagreed = text;
  }
  CHECK(disagreed == "");
  CHECK(accepted > 2'000);
}

TEST_CASE("encoders: a struct is written like its tree, in declaration order") {
  using Response = routes::plain::CreatePlain::Response200;
  const auto encoded = [](const auto& value) {
    fw::detail::JsonWriter writer;
    fw_encode(writer, value);
    return std::string(writer.content());
  };
  Response response{.note = {},
                    .id = -5,
                    .ratio = {},
                    .ok = true,
                    .state = Response::State::_quoted_,
                    .items = {},
                    .matrix = {},
                    .where = {.city = "R\xC3\xB6m \"1\"\n"}};
  CHECK(encoded(response) == R"({"id":-5,"ok":true,"state":"\"quoted\"","items":[],"matrix":[],)"
                             "\"where\":{\"city\":\"R\xC3\xB6m \\\"1\\\"\\n\"}}");
  CHECK(fw::Json::parse(encoded(response)) == fw::Json(response));
  response.note = "n";
  response.ratio = 0.1;
  response.items = {{.name = {}}, {.name = "x"}};
  response.matrix = {{1, 2}, {}};
  CHECK(encoded(response).starts_with(R"({"note":"n","id":-5,"ratio":0.1,"ok":true,)"));
  CHECK(encoded(response).find(R"("items":[{},{"name":"x"}],"matrix":[[1,2],[]])") !=
        std::string::npos);
  CHECK(fw::Json::parse(encoded(response)) == fw::Json(response));
  const routes::plain::CreatePlain::Response2xx list = {{.id = 1}, {.id = 2}};
  CHECK(encoded(list) == R"([{"id":1},{"id":2}])");
}

TEST_CASE("encoders: which responses have an encoder") {
  using Plain = routes::plain::CreatePlain;
  CHECK(fw::detail::Encodable<Plain::Response200>);
  CHECK(fw::detail::Encodable<Plain::Response2xx>);
  CHECK_FALSE(fw::detail::Encodable<Plain::Response404>);
  CHECK_FALSE(fw::detail::Encodable<Plain::ResponseDefault>);
  CHECK_FALSE(fw::detail::Encodable<Plain::Body>);
  CHECK_FALSE(fw::detail::Encodable<fw::Json>);
}

TEST_CASE("decoders: which schemas have a decoder") {
  const auto decodable = [](std::vector<Field> fields) {
    Node object;
    object.kind = Kind::object;
    object.fields = std::move(fields);
    return fairway::emit::decoder_of("body", object) == fairway::emit::Decoder::json;
  };
  CHECK(fairway::emit::decoder_of("body", schema()) == fairway::emit::Decoder::json);
  // The values of a query are strings.
  CHECK(fairway::emit::decoder_of("query", schema()) == fairway::emit::Decoder::none);
  CHECK_FALSE(decodable({}));
  CHECK_FALSE(decodable({field("a", "any")}));
  CHECK_FALSE(decodable({field("a", "null?")}));
  CHECK_FALSE(decodable({field("a", "array")}));
  CHECK_FALSE(decodable({field("a", "object")}));
  CHECK_FALSE(decodable({field("a", "array<array<object>>")}));
  CHECK_FALSE(decodable({field("a\"", "string")}));
  CHECK_FALSE(decodable({field("a\\", "string")}));
  CHECK_FALSE(decodable({field("a\xC3", "string")}));
  Field far = field("a", "integer:0-5");
  far.node.max = 9223372036854775808.0;
  CHECK_FALSE(decodable({far}));
  CHECK(decodable({field("a", "number:0-9223372036854775808")}));
  std::vector<Field> many;
  for (int i = 0; i < 64; ++i) many.push_back(field("a" + std::to_string(i), "integer"));
  CHECK(decodable(many));
  many.push_back(field("one more", "integer"));
  CHECK_FALSE(decodable(many));
}

namespace {

class Fields final : public fw::detail::FieldReader {
 public:
  explicit Fields(std::map<std::string, std::string, std::less<>> fields)
      : fields_(std::move(fields)) {}

 private:
  std::optional<std::string_view> value_of(std::string_view name) override {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return std::nullopt;
    return found->second;
  }

  std::map<std::string, std::string, std::less<>> fields_;
};

}  // namespace

TEST_CASE("decoders: query strings give the same result with and without the tree") {
  using Query = routes::plain::GetPlain::Query;
  Node node;
  node.kind = Kind::object;
  node.fields = {field("name", "string:1-3"),       field("page", "integer:0-50?"),
                 field("ratio", "number:-1-1000?"), field("all", "boolean?"),
                 field("order", "enum:asc,desc?"),  field("day", "date?")};
  static const std::vector<std::string> kValues = {"",
                                                   "a",
                                                   "abc",
                                                   "abcd",
                                                   "\xC3\xBC\xC3\xBC\xC3\xBC",
                                                   "\xC3",
                                                   "0",
                                                   "7",
                                                   " 7",
                                                   "7 ",
                                                   "07",
                                                   "+7",
                                                   "-1",
                                                   "-0",
                                                   "51",
                                                   "1e1",
                                                   "1.0",
                                                   "0x1F",
                                                   "0.5",
                                                   ".5",
                                                   "5.",
                                                   "1e400",
                                                   "1e-400",
                                                   "999.9999999999999",
                                                   "9007199254740993",
                                                   "true",
                                                   "TRUE",
                                                   "false",
                                                   " true",
                                                   "asc",
                                                   "desc",
                                                   "ASC",
                                                   "2024-01-31",
                                                   "2024-02-31",
                                                   "null"};
  int accepted = 0;
  for (const Field& changed : node.fields) {
    for (const std::string& value : kValues) {
      std::map<std::string, std::string, std::less<>> fields = {{"name", "n"}, {"other", "x"}};
      fields[changed.name] = value;
      CAPTURE(changed.name);
      CAPTURE(value);
      Query query;
      Fields reader(fields);
      fw_decode(reader, query);
      if (!reader.is_complete()) continue;
      ++accepted;
      const auto truth = fw::schema::validate(node, fw::Json(fields), fw::schema::Source::text);
      REQUIRE(truth.errors.empty());
      CHECK(fw::Json(truth.value.get<Query>()).dump() == fw::Json(query).dump());
    }
  }
  CHECK(accepted > 20);
  Fields none({});
  Query query;
  fw_decode(none, query);
  CHECK_FALSE(none.is_complete());
}

}  // namespace codecs_test
