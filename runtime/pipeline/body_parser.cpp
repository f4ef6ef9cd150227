// Parses JSON and urlencoded bodies into `req.body()`.
#include <fairway/errors.hpp>

#include <algorithm>

#include "exchange/ascii.hpp"
#include "exchange/url_encoding.hpp"
#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

enum class BodyType { json, form, other };

BodyType type_of(std::string_view content_type) {
  const std::string type = to_lower(trim_blanks(content_type.substr(0, content_type.find(';'))));
  if (type == "application/json" || type.ends_with("+json")) return BodyType::json;
  if (type == "application/x-www-form-urlencoded") return BodyType::form;
  return BodyType::other;
}

/// Deep values exhaust the stack of whoever walks them; real ones have a few levels.
constexpr std::size_t kDeepestBody = 512;

bool is_too_deep(std::string_view text) {
  if (text.size() <= kDeepestBody) return false;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestBody) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Json parse_json(std::string_view text) {
  Json value = is_too_deep(text) ? Json(Json::value_t::discarded)
                                 : Json::parse(text.begin(), text.end(), nullptr, false);
  if (value.is_discarded()) raise(400, "Bad Request: invalid JSON in request body");
  return value;
}

Json parse_form(std::string_view text) {
  Json value = Json::object();
  for_each_form_pair(text, [&](std::string name, std::string field) {
    value[std::move(name)] = std::move(field);  // the last of repeated keys
  });
  return value;
}

class BodyParserStage : public Stage {
 public:
  void run(Exchange& exchange, const Rest& rest) const override {
    if (exchange.head.has_body) parse(exchange);
    rest(exchange);
  }

 private:
  static void parse(Exchange& exchange) {
    const BodyType type = type_of(exchange.header("content-type").value_or(""));
    if (type == BodyType::other) return;
    const std::string_view text = exchange.raw_body();
    if (text.empty()) return;
    exchange.body = type == BodyType::json ? parse_json(text) : parse_form(text);
    exchange.has_body = true;
  }
};

}  // namespace

Stages body_parser_stage(const Composition& composition) {
  const Route* route = composition.route;
  if (route == nullptr || !composition.env.config.body_parser.enabled) return {};
  if (route->method == "GET" || route->method == "HEAD" || route->method == "OPTIONS") return {};
  if (!route->options.body_parser.enabled.value_or(true)) return {};
  return one_stage<BodyParserStage>();
}

}  // namespace fw::detail
