#include <fairway/routes.hpp>

#ifdef INCLUDE_NLOHMANN_JSON_HPP_
#error "<fairway/routes.hpp> includes the header of fw::Json"
#endif

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/json_forms.hpp"
#include "support/light_routes.hpp"

namespace light_routes {
namespace {

struct Line {
  fw::Field<"integer:1-"> product;
  std::int64_t count = 1;
  FW_JSON(Line, product, count)
};

struct Order {
  std::int64_t id = 0;
  std::optional<std::string> note;
  std::vector<Line> lines;
  fw::Literal<"order"> kind;
  FW_JSON(Order, id, note, lines, kind)
};

enum class Channel { web, shop };

const fw::AuthRequirement kPublic = {.required = false};

}  // namespace

void routes(fw::Router& app) {
  app.get("/literal", [](fw::Request& req, fw::Response& res) {
    const std::string name(req.query("name").value_or("nobody"));
    res.json({{"name", name}, {"length", name.size()}, {"none", {}}, {"list", {1, "two"}}}, 201);
  });
  app.get("/text", [](fw::Request&, fw::Response& res) { res.json("text"); });
  app.get("/channel", [](fw::Request&, fw::Response& res) { res.json(Channel::shop); });
  app.get("/order", []() -> Order {
    return {.id = 7, .note = std::nullopt, .lines = {{.product = 3, .count = 2}}, .kind = {}};
  });
  app.get("/orders", []() -> std::vector<Order> { return {{}}; });
  app.get("/none", []() -> fw::NoContent { return {}; });
  app.get("/either", []() -> std::variant<fw::Created<Order>, fw::NoContent> {
    return fw::Created<Order>(Order());
  });
  app.get("/raise",
          [&app](fw::Request&, fw::Response&) { app.raise(404, "order.notFound", {{"id", 7}}); });
  app.get("/raise-code", [&app](fw::Request&, fw::Response&) {
    app.raise(409, "taken", "TAKEN", {{"ids", {1, 2}}});
  });
  app.get("/raise-plain", [&app](fw::Request&, fw::Response&) { app.raise(410, "gone"); });
  app.get("/raise-options", [&app](fw::Request&, fw::Response&) {
    app.raise({.status = 404, .message = "none", .code = 7, .details = {{"id", 7}}});
  });
  app.get("/raise-function",
          [](fw::Request&, fw::Response&) { fw::raise(418, "tea", {{"pot", true}}); });
  app.get("/log", [&app](fw::Request&, fw::Response& res) {
    app.logger().info("inline", {{"left", 3}});
    app.logger().warn("plain");
    res.end();
  });
  app.get("/documented",
          {
              .auth = kPublic,
              .docs = {.summary = "A route",
                       .extensions = {{"x-team", "shop"}},
                       .responses = {{"200", {.description = "Done", .example = {{"a", 1}}}}},
                       .access = {{"roles", {"admin"}}}},
          },
          [](fw::Request&, fw::Response& res) { res.json({1, 2}); });
}

void calls(fw::Router& app, const fw::Logger& log) {
  int index = 0;
#define CALL(...)                                                                              \
  app.get("/" + std::to_string(index++),                                                       \
          [&app, log]([[maybe_unused]] fw::Request& req, [[maybe_unused]] fw::Response& res) { \
            static_cast<void>(app);                                                            \
            const Values values;                                                               \
            __VA_ARGS__;                                                                       \
          });
#include "support/call_forms.inc"
#undef CALL
}

fw::detail::InlineRouteOptions options() {
  return {.middlewares = {"plain", {"limit", {{"most", 5}}}},
          .docs = {.extensions = {{"x-team", "shop"}},
                   .responses = {{"200",
                                  {.example = {{"a", 1}},
                                   .examples = {{"one", {.value = {{"b", 2}}}}},
                                   .headers = {{"x-a", {.schema = {{"type", "string"}}}}}}}},
                   .access = "staff",
                   .request_body = {{"content", {}}}},
          .frontend = {.static_params = {{{"id", "1"}}}, .seo = {{"title", "A page"}}},
          .mcp = true};
}

std::vector<std::pair<std::string_view, fw::detail::InlineRouteOptions>> all_options() {
  std::vector<std::pair<std::string_view, fw::detail::InlineRouteOptions>> made;
  const Values values;
#define OPTIONS(...) made.emplace_back(#__VA_ARGS__, fw::detail::InlineRouteOptions __VA_ARGS__);
#include "support/option_forms.inc"
#undef OPTIONS
  return made;
}

std::vector<std::pair<std::string_view, fw::detail::JsonLiteral>> literals() {
  std::vector<std::pair<std::string_view, fw::detail::JsonLiteral>> made;
  const auto add = [&made](std::string_view json, const fw::detail::JsonLiteral& literal) {
    made.emplace_back(json, literal);
  };
  const Values values;
#define FORM(json, ...) add(json, __VA_ARGS__);
#include "support/json_forms.inc"
#undef FORM
  return made;
}

}  // namespace light_routes
