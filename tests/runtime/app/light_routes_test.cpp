// What files do that include only <fairway/routes.hpp>: support/light_routes.cpp. Members of the
// type fw::Json are of that type for files that include its header.
#include "support/light_routes.hpp"

#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/json_forms.hpp"
#include "support/table_builder.hpp"

namespace light_routes {

void to_json(fw::Json& json, const Money& money) { json = {{"cents", money.cents}}; }
void to_json(fw::Json& json, const Both& /*both*/) { json = "to_json"; }
void to_json(fw::Json& json, Unit unit) { json = unit == Unit::metre ? "metre" : "mile"; }

const fw::Json& tree() {
  static const fw::Json tree = {{"a", 1}};
  return tree;
}

}  // namespace light_routes

namespace light_routes_test {
namespace {

using fw::Json;

static_assert(std::same_as<decltype(fw::AuthContext::claims), Json>);
static_assert(std::same_as<decltype(fw::AuthIdentity::claims), Json>);
static_assert(std::same_as<decltype(fw::ValidationResult::value), Json>);
static_assert(std::same_as<decltype(fw::FieldError::params), Json>);
static_assert(std::same_as<decltype(fw::RaiseOptions::code), Json>);
static_assert(std::same_as<decltype(fw::RaiseOptions::details), Json>);
static_assert(std::same_as<decltype(fw::RaiseOptions::params), Json>);
static_assert(std::same_as<decltype(fw::RenderOptions::seo), Json>);
static_assert(std::same_as<decltype(fw::Docs::access), Json>);
static_assert(std::same_as<decltype(fw::Docs::extensions), Json>);
static_assert(std::same_as<decltype(fw::DocsDescriptor::access), Json>);
static_assert(std::same_as<decltype(fw::Frontend::static_params), Json>);
static_assert(std::same_as<decltype(fw::FetchProxyOptions::query), std::map<std::string, Json>>);

/// Responses are the data alone.
fw::Config plain_config() {
  fw::Config config = fw::testing::TestApp::test_config();
  config.response.wrap = false;
  config.request_id.enabled = false;
  return config;
}

class LightApp : fw::support::TableBuilder, public fw::testing::TestApp {
 public:
  LightApp() : TestApp(routes(light_routes::routes).table(), plain_config()) {}
};

/// The routes of light_routes::calls, compiled with the header of fw::Json.
void calls(fw::Router& app, const fw::Logger& log) {
  int index = 0;
#define CALL(...)                                                                              \
  app.get("/" + std::to_string(index++),                                                       \
          [&app, log]([[maybe_unused]] fw::Request& req, [[maybe_unused]] fw::Response& res) { \
            static_cast<void>(app);                                                            \
            const light_routes::Values values;                                                 \
            __VA_ARGS__;                                                                       \
          });
#include "support/call_forms.inc"
#undef CALL
}

/// The calls as they are written.
std::vector<std::string_view> call_texts() {
  return {
#define CALL(...) #__VA_ARGS__,
#include "support/call_forms.inc"
#undef CALL
  };
}

/// Before the application, whose routes use it.
struct Log {
  std::shared_ptr<fw::support::RecordingSink> sink = std::make_shared<fw::support::RecordingSink>();
  fw::Logger logger{sink, fw::LogLevel::trace};
};

class CallsApp : Log, fw::support::TableBuilder, public fw::testing::TestApp {
 public:
  using Routes = void (*)(fw::Router& app, const fw::Logger& log);
  explicit CallsApp(Routes made)
      : TestApp(routes([this, made](fw::Router& app) { made(app, logger); }).table(),
                plain_config()) {}

  /// What a call sends and logs, with what was logged before.
  std::string result(std::size_t index) {
    const auto response = request("GET", "/" + std::to_string(index)).send();
    std::string text = std::to_string(response.status) + " " +
                       std::string(response.header("content-type").value_or("")) + " " +
                       response.body;
    for (const auto& line : sink->records()) {
      text +=
          "\n" + std::string(to_string(line.level)) + " " + line.message + " " + line.fields.dump();
    }
    return text;
  }
};

/// The JSON of all options.
std::string json_of(const fw::RouteOptions& options) {
  Json json;
  for (const auto& middleware : options.middlewares) {
    json["middlewares"].push_back({middleware.name(), middleware.options()});
  }
  const fw::Docs& docs = options.docs;
  json["docs"] = {docs.extensions, docs.access, docs.request_body, docs.summary.str()};
  for (const auto& [selector, response] : docs.responses) {
    json["responses"].push_back({response.description.str(), response.example});
    for (const auto& [name, example] : response.examples) json["examples"].push_back(example.value);
    for (const auto& [name, header] : response.headers) json["headers"].push_back(header.schema);
  }
  json["frontend"] = {options.frontend.page.str(), options.frontend.static_params,
                      options.frontend.seo};
  for (const auto& permission : options.auth.requirement().permissions) {
    json["permissions"].push_back({permission.action.str(),
                                   std::get<Json>(permission.resource.get()),
                                   std::get<Json>(permission.context.get())});
  }
  return json.dump();
}

Json body_of(LightApp& app, std::string_view path) {
  return app.request("GET", std::string(path)).send().json();
}

}  // namespace

TEST_CASE("light header: braces mean what they mean for fw::Json") {
  const auto literals = light_routes::literals();
  std::size_t index = 0;
  const auto check = [&](std::string_view text, const Json& json) {
    CAPTURE(text);
    REQUIRE(index < literals.size());
    const auto& [name, literal] = literals[index++];
    CHECK(name == text);
    CHECK(json.dump() == text);
    CHECK(literal.tree() == json);
    CHECK(literal.tree().dump() == text);
  };
  const light_routes::Values values;
#define FORM(json, ...) check(json, __VA_ARGS__);
#include "support/json_forms.inc"
#undef FORM
  CHECK(index == literals.size());
}

TEST_CASE("light header: calls do the same with and without the header of fw::Json") {
  CallsApp light(light_routes::calls);
  CallsApp full(calls);
  const auto texts = call_texts();
  for (std::size_t index = 0; index < texts.size(); ++index) {
    CAPTURE(texts[index]);
    CHECK(light.result(index) == full.result(index));
  }
}

TEST_CASE("light header: options are the same with and without the header of fw::Json") {
  const auto light = light_routes::all_options();
  const light_routes::Values values;
  std::size_t index = 0;
  const auto check = [&](std::string_view text, const fw::RouteOptions& options) {
    CAPTURE(text);
    REQUIRE(index < light.size());
    CHECK(light[index].first == text);
    CHECK(json_of(fw::detail::made_options(light[index++].second)) == json_of(options));
  };
#define OPTIONS(...) check(#__VA_ARGS__, fw::RouteOptions __VA_ARGS__);
#include "support/option_forms.inc"
#undef OPTIONS
  CHECK(index == light.size());
}

TEST_CASE("light header: literals own their strings") {
  std::string text = "before, and too long for a short string";
  std::vector<std::string> texts = {text};
  const fw::detail::JsonLiteral literal = {{"text", text},
                                           {"view", std::string_view(text)},
                                           {"pointer", text.c_str()},
                                           {"texts", texts}};
  const Json made = literal.tree();
  text.assign(text.size(), 'x');
  texts.front().assign(text);
  CHECK(literal.tree() == made);
  CHECK(literal.tree().at("pointer") == "before, and too long for a short string");
}

TEST_CASE("light header: a null pointer to characters is an error") {
  const char* const null = nullptr;
  CHECK_THROWS_AS(static_cast<void>(fw::detail::JsonLiteral{null}), std::logic_error);
}

TEST_CASE("light header: inline values are sent as JSON") {
  LightApp app;
  const auto response = app.request("GET", "/literal?name=Ada").send();
  CHECK(response == 201);
  CHECK(response.json() ==
        Json{{"name", "Ada"}, {"length", 3}, {"none", nullptr}, {"list", {1, "two"}}});
  CHECK(body_of(app, "/text") == "text");
}

TEST_CASE("light header: types with FW_JSON are sent") {
  LightApp app;
  const Json order = {{"id", 7}, {"lines", {{{"product", 3}, {"count", 2}}}}, {"kind", "order"}};
  CHECK(body_of(app, "/order") == order);
  CHECK(body_of(app, "/orders").size() == 1);
  CHECK(app.request("GET", "/none").send() == 204);
  CHECK(app.request("GET", "/either").send() == 201);
}

TEST_CASE("light header: errors have inline details and parameters") {
  LightApp app;
  CHECK(app.request("GET", "/raise").send() == 404);
  const Json taken = body_of(app, "/raise-code");
  CHECK(taken.at("code") == "TAKEN");
  CHECK(taken.at("details") == Json{{"ids", {1, 2}}});
  CHECK(app.request("GET", "/raise-plain").send() == 410);
  const Json none = body_of(app, "/raise-options");
  CHECK(none.at("code") == 7);
  CHECK(none.at("details") == Json{{"id", 7}});
  CHECK(app.request("GET", "/raise-function").send() == 418);
}

TEST_CASE("light header: options have inline values") {
  const fw::RouteOptions options = fw::detail::made_options(light_routes::options());
  const auto* limit = options.middlewares.begin() + 1;
  CHECK(options.middlewares.begin()->options() == nullptr);
  CHECK(limit->name() == "limit");
  CHECK(limit->options() == Json{{"most", 5}});
  CHECK(options.docs.extensions == Json{{"x-team", "shop"}});
  CHECK(options.docs.access == "staff");
  CHECK(options.docs.request_body == Json{{"content", nullptr}});
  const auto& response = options.docs.responses.begin()->value;
  CHECK(response.example == Json{{"a", 1}});
  CHECK(response.examples.begin()->value.value == Json{{"b", 2}});
  CHECK(response.headers.begin()->value.schema == Json{{"type", "string"}});
  CHECK(options.frontend.static_params.dump() == R"([{"id":"1"}])");
  CHECK(options.frontend.seo == Json{{"title", "A page"}});
  CHECK(options.mcp);
}

}  // namespace light_routes_test
