#include "random_options.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace fairway::fuzz {
namespace {

constexpr std::string_view kPrologue = R"(#include <fairway/fairway.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

using namespace std::chrono_literals;

namespace {
void handle(fw::Request&, fw::Response&) {}
bool passes(fw::Request&, fw::AuthContext&) { return true; }
bool caches(fw::Request&) { return true; }
constexpr const char* kName = "name";
constexpr std::string_view kView = "view";
constexpr int kNumber = 7;
constexpr bool kFlag = true;
constexpr double kHalf = 0.5;
enum class Size { small = 3 };
const std::optional<int> kSome = 4;
const std::optional<int> kNone;
const std::optional<int> kNoneEither = std::nullopt;
const std::function<bool(fw::Request&, fw::AuthContext&)> kNoCheck;
const std::function<bool(fw::Request&, fw::AuthContext&)> kCheck = passes;
bool (*const kNoPointer)(fw::Request&) = nullptr;
const fw::Json kList = {1, "two", nullptr};
const fw::Json kObject = {{"k", 1}, {"l", {2, 3}}};
const fw::Json kPair = fw::Json::array({"k", 1});
const fw::SchemaMap kFields = {{"id", "uuid"}, {"name", "string?"}};
const auto kAddress = fw::optional({{"city", "string"}});
}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
)";

class Writer {
 public:
  explicit Writer(std::mt19937_64& random) : random_(random) {}

  std::string options() {
    std::string text;
    for (const auto& [name, value] : members()) {
      if (below(8) != 0) continue;
      text += fmt::format("{}.{} = {}", text.empty() ? "" : ", ", name, (this->*value)());
    }
    return '{' + text + '}';
  }

 private:
  using Value = std::string (Writer::*)();
  using Member = std::pair<const char*, Value>;

  /// Every member, in the order of their declaration.
  static std::vector<Member> members() {
    return {{"validate", &Writer::validate},
            {"auth", &Writer::auth},
            {"cache", &Writer::cache},
            {"middlewares", &Writer::middlewares},
            {"responses", &Writer::responses},
            {"docs", &Writer::docs},
            {"multipart", &Writer::multipart},
            {"session", &Writer::session},
            {"body_parser", &Writer::body_parser},
            {"csrf", &Writer::skip},
            {"override_", &Writer::overrides},
            {"timeout", &Writer::timeout},
            {"security_headers", &Writer::skip},
            {"compression", &Writer::maybe_flag},
            {"frontend", &Writer::frontend},
            {"events", &Writer::events},
            {"receive", &Writer::messages},
            {"send", &Writer::messages},
            {"socket", &Writer::socket},
            {"objective", &Writer::objective},
            {"mcp", &Writer::flag}};
  }

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  std::string one_of(std::initializer_list<const char*> list) {
    return list.begin()[below(list.size())];
  }
  std::string some(std::initializer_list<Member> list) {
    std::string text;
    for (const auto& [name, value] : list) {
      if (below(2) != 0) continue;
      text += fmt::format("{}.{} = {}", text.empty() ? "" : ", ", name, (this->*value)());
    }
    return '{' + text + '}';
  }

  std::string text() {
    return one_of({"\"a\"", "\"\"", "\"x-b\" \"c\"", "kName", "kView", "std::string(\"s\")", "{}",
                   "std::string()", "std::string_view{\"v\"}", "fw::Text(\"t\")", "fw::Text{}",
                   "std::string{'h', 'i'}", "std::string(2, 'x')", "std::string(\"abc\", 2)"});
  }
  std::string plain_text() { return one_of({"\"a\"", "\"b\"", "kName", "std::string(\"s\")"}); }
  std::string texts() {
    return one_of({"{}", "{\"a\"}", "{\"a\", kName}", "{\"a\", \"b\", \"c\"}", "fw::TextList{}",
                   "fw::TextList{\"a\"}"});
  }
  std::string number() {
    return one_of({"1", "kNumber", "kSome", "kNone", "kNoneEither", "std::nullopt", "{}", "{5}",
                   "std::optional<int>(3)", "std::optional<int>()", "std::optional<int>{}",
                   "static_cast<int>(Size::small)", "int{6}", "'c'", "-2"});
  }
  std::string flag() { return one_of({"true", "false", "kFlag", "bool{}", "{true}"}); }
  std::string maybe_flag() {
    return one_of({"true", "false", "kFlag", "std::nullopt", "{}", "std::optional<bool>(false)"});
  }
  std::string duration() {
    return one_of({"5", "3s", "1min", "250ms", "std::nullopt", "{}", "std::chrono::hours(1)",
                   "std::optional<fw::Milliseconds>()", "fw::Milliseconds(7)"});
  }
  std::string size() { return one_of({"\"1kb\"", "1024", "{}", "fw::ByteSize{}", "kNumber"}); }
  std::string check() {
    return one_of({"{}", "nullptr", "passes", "&passes", "kCheck", "kNoCheck",
                   "[](fw::Request&, fw::AuthContext&) { return true; }",
                   "std::function<bool(fw::Request&, fw::AuthContext&)>()",
                   "std::function<bool(fw::Request&, fw::AuthContext&)>(passes)"});
  }
  std::string condition() {
    return one_of({"{}", "nullptr", "caches", "kNoPointer", "[](fw::Request&) { return true; }",
                   "std::function<bool(fw::Request&)>{}"});
  }
  std::string json() { return json(2); }
  std::string json(unsigned depth) {
    if (depth == 0 || below(3) == 0) {
      return one_of({"1",
                     "-3",
                     "0.5",
                     "kHalf",
                     "true",
                     "nullptr",
                     "\"s\"",
                     "kName",
                     "kView",
                     "'c'",
                     "kList",
                     "kObject",
                     "kPair",
                     "{}",
                     "fw::Json()",
                     "fw::Json{}",
                     "kNumber",
                     "fw::Json(nullptr)",
                     "std::string(\"s\")",
                     "1.5f",
                     "Size::small",
                     "fw::Json::value_t::array",
                     "fw::Json(fw::Json::value_t::object)",
                     "fw::Json(3, \"x\")",
                     "fw::Json::array()",
                     "fw::Json::object()",
                     "std::vector<int>{1, 2}",
                     "18446744073709551615u"});
    }
    std::string items;
    const std::size_t count = below(3) + 1;
    const bool is_named = below(2) == 0;
    for (std::size_t index = 0; index < count; ++index) {
      const std::string value = json(depth - 1);
      items += index == 0 ? "" : ", ";
      items += is_named ? fmt::format("{{\"k{}\", {}}}", index, value) : value;
    }
    switch (below(5)) {
      case 0:
        return fmt::format("fw::Json{{{}}}", items);
      case 1:
        return fmt::format("fw::Json({{{}}})", items);
      case 2:
        return fmt::format("fw::Json::array({{{}}})", items);
      case 3:
        return is_named ? fmt::format("fw::Json::object({{{}}})", items)
                        : fmt::format("fw::Json::array({{\"k\", {}}})", json(depth - 1));
      default:
        return fmt::format("{{{}}}", items);
    }
  }
  std::string fields() {
    return one_of({"{}", "{{\"a\", \"string\"}}",
                   "{{\"a\", {{\"b\", \"integer?\"}}}, {\"c\", \"uuid\"}}",
                   "{{\"l\", fw::array_of({{\"d\", \"number\"}})}}", "kFields", "fw::SchemaMap{}",
                   "{{\"e\", fw::schema_adapter::compile_field(\"email\").description(\"E\")}}",
                   "{{\"n\", kFields}, {\"o\", {}}}", "{{\"f\", fw::ArrayOf(kFields)}}",
                   "{{\"g\", fw::schema_adapter::FieldBuilder(\"email\")}}",
                   "{{\"p\", fw::optional({{\"q\", \"string\"}, {\"r\", \"uuid?\"}})}}",
                   "{{\"s\", fw::optional(fw::array_of({{\"t\", \"number\"}}))}}",
                   "{{\"u\", {{\"v\", fw::optional(kFields)}}}, {\"w\", kAddress}}",
                   "{{\"x\", fw::OptionalField(kFields)}, {\"y\", fw::optional({})}}",
                   "{{\"z\", fw::OptionalField(fw::ArrayOf(kFields))}}"});
  }
  std::string schema() {
    return one_of({"\"string\"", "{{\"a\", \"string\"}}", "kFields", "fw::array_of(kFields)",
                   "fw::json_schema(R\"({\"type\": \"object\"})\")",
                   "fw::JsonSchema{R\"({\"type\": \"string\"})\"}"});
  }
  std::string validate() {
    return some(
        {{"query", &Writer::fields}, {"header", &Writer::fields}, {"body", &Writer::fields}});
  }
  std::string security() {
    return one_of({"{}", "\"bearer\"", "{{{\"oauth\", {\"read\"}}, {\"key\"}}, {{\"basic\"}}}",
                   "fw::SecurityRequirements()"});
  }
  std::string permissions() {
    return one_of({"{}", "{\"doc.read\"}", "{\"a\", {\"doc.write\", \"d1\"}}",
                   "{{\"doc.own\", {}, {{\"k\", 1}}}}"});
  }
  std::string auth() {
    if (below(4) == 0)
      return one_of({"true", "false", "kFlag", "{}", "fw::Auth()", "fw::Auth(false)"});
    return "fw::AuthRequirement" + some({{"required", &Writer::flag},
                                         {"roles", &Writer::texts},
                                         {"scopes", &Writer::texts},
                                         {"permissions", &Writer::permissions},
                                         {"mode", &Writer::text},
                                         {"check", &Writer::check},
                                         {"security", &Writer::security}});
  }
  std::string key() {
    return one_of({"\"k\"", "kName", "{}", "[](fw::Request&) { return std::string(); }"});
  }
  std::string cache() {
    if (below(4) == 0) return one_of({"false", "1500", "0", "30s", "{}", "kNumber", "0s"});
    return "fw::RouteCacheOptions" + some({{"ttl", &Writer::duration},
                                           {"methods", &Writer::texts},
                                           {"headers", &Writer::texts},
                                           {"query", &Writer::texts},
                                           {"key", &Writer::key},
                                           {"condition", &Writer::condition},
                                           {"tags", &Writer::texts},
                                           {"stale_while_revalidate", &Writer::duration},
                                           {"cache_control", &Writer::flag},
                                           {"allow_cookie_cache", &Writer::flag},
                                           {"allow_shared_caches", &Writer::flag}});
  }
  std::string middlewares() {
    return fmt::format("{{\"audit\", {{{}, {}}}}}", plain_text(), json());
  }
  std::string stream() {
    if (below(2) == 0) return fmt::format("fw::lines({})", schema());
    return fmt::format("fw::events({{{{{}, {}}}, {{\"b\", {}}}}})", plain_text(), schema(),
                       schema());
  }
  std::string responses() {
    if (below(4) == 0) return fmt::format("{{{{\"200\", {}}}}}", stream());
    return fmt::format("{{{{{}, {}}}, {{\"4xx\", {}}}}}", one_of({"200", "\"201\"", "\"2xx\""}),
                       schema(), schema());
  }
  std::string examples() {
    return fmt::format("{{{{{}, {}}}}}", plain_text(),
                       some({{"summary", &Writer::text}, {"value", &Writer::json}}));
  }
  std::string headers() {
    return fmt::format("{{{{\"x-total\", {}}}}}",
                       some({{"description", &Writer::text}, {"schema", &Writer::json}}));
  }
  std::string documented() {
    return fmt::format("{{{{{}, {}}}}}", one_of({"200", "\"404\""}),
                       some({{"description", &Writer::text},
                             {"schema", &Writer::schema},
                             {"content_type", &Writer::text},
                             {"example", &Writer::json},
                             {"examples", &Writer::examples},
                             {"headers", &Writer::headers}}));
  }
  std::string docs() {
    return some({{"summary", &Writer::text},
                 {"description", &Writer::text},
                 {"tags", &Writer::texts},
                 {"operation_id", &Writer::text},
                 {"hidden", &Writer::flag},
                 {"deprecated", &Writer::flag},
                 {"security", &Writer::security},
                 {"extensions", &Writer::json},
                 {"responses", &Writer::documented},
                 {"access", &Writer::json},
                 {"request_body", &Writer::json}});
  }
  std::string files() {
    return one_of(
        {"{}", "{{\"avatar\", \"Picture\"}}", "{{\"cv\", {.required = true}}, {\"d\", kName}}"});
  }
  std::string multipart() {
    return some({{"enabled", &Writer::maybe_flag},
                 {"files", &Writer::files},
                 {"max_files", &Writer::number},
                 {"max_file_size", &Writer::size},
                 {"allowed_mime_types", &Writer::texts}});
  }
  std::string session() {
    if (below(3) == 0) return one_of({"true", "false", "{}", "fw::SessionSwitch()"});
    return "fw::SessionOptions" +
           some({{"rolling", &Writer::maybe_flag}, {"auto_commit", &Writer::maybe_flag}});
  }
  std::string body_parser() {
    return some({{"enabled", &Writer::maybe_flag}, {"max_body_size", &Writer::size}});
  }
  std::string skip() { return one_of({"false", "{}", "fw::Skip()"}); }
  std::string limit() {
    if (below(3) == 0) return one_of({"true", "false", "{}", "fw::RateLimitOverride()"});
    return "fw::RateLimitOptions" +
           some({{"max", &Writer::number}, {"window", &Writer::number}, {"key_by", &Writer::text}});
  }
  std::string cors() {
    return some({{"enabled", &Writer::maybe_flag},
                 {"origins", &Writer::texts},
                 {"credentials", &Writer::maybe_flag},
                 {"max_age", &Writer::number}});
  }
  std::string overrides() {
    return some({{"rate_limit", &Writer::limit},
                 {"timeout", &Writer::duration},
                 {"max_body_size", &Writer::size},
                 {"cors", &Writer::cors}});
  }
  std::string timeout() { return one_of({"false", "500", "2s", "{}", "fw::Timeout()", "kNumber"}); }
  std::string frontend() {
    return some({{"page", &Writer::text},
                 {"data", &Writer::schema},
                 {"static_params", &Writer::json},
                 {"revalidate", &Writer::number},
                 {"client_only", &Writer::flag},
                 {"seo", &Writer::json}});
  }
  std::string messages() {
    if (below(4) == 0) return "fw::raw";
    return fmt::format("{{{{{}, {}}}, {{\"b\", {}}}}}", plain_text(), fields(), fields());
  }
  std::string socket() {
    return some({{"max_message", &Writer::size},
                 {"queue", &Writer::size},
                 {"overflow", &Writer::text},
                 {"protocols", &Writer::texts},
                 {"origins", &Writer::texts},
                 {"close_on_invalid", &Writer::flag},
                 {"max_per_address", &Writer::number}});
  }
  std::string percentage() {
    return one_of({"99.9", "99", "99.0", "kHalf", "{}", "std::nullopt", "99.5f", "{99}",
                   "std::optional<double>(99.95)"});
  }
  std::string objective() {
    return some({{"p99", &Writer::duration}, {"availability", &Writer::percentage}});
  }
  std::string events() {
    return some({{"queue", &Writer::size},
                 {"overflow", &Writer::text},
                 {"retry", &Writer::duration},
                 {"max_per_address", &Writer::number}});
  }

  std::mt19937_64& random_;
};

}  // namespace

std::string random_route_file(unsigned routes, std::mt19937_64& random) {
  std::string source(kPrologue);
  for (unsigned index = 0; index < routes; ++index) {
    source += fmt::format("  app.get(\"/{}\", {}, handle);\n", index, Writer(random).options());
  }
  return source + "});\n";
}

}  // namespace fairway::fuzz
