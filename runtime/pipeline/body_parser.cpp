// Parses JSON and urlencoded bodies into `req.body()`.
#include "base/ascii.hpp"
#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

BodyType type_of(std::string_view content_type) {
  const std::string type =
      base::lower_case(base::trim_ows(content_type.substr(0, content_type.find(';'))));
  if (type == "application/json" || type.ends_with("+json")) return BodyType::json;
  if (type == "application/x-www-form-urlencoded") return BodyType::form;
  return BodyType::other;
}

class BodyParserStage : public Stage {
 public:
  void run(Exchange& exchange, const Rest& rest) const override {
    if (exchange.head.has_body) {
      exchange.parse_body(type_of(exchange.header("content-type").value_or("")));
    }
    rest(exchange);
  }
};

}  // namespace

Stages body_parser_stage(const Composition& composition) {
  const Route* route = composition.route;
  if (route == nullptr || !composition.env.config.body_parser.enabled) return {};
  if (!has_request_body(*route)) return {};
  if (!route->options.body_parser.enabled.value_or(true)) return {};
  return one_stage<BodyParserStage>();
}

}  // namespace fw::detail
