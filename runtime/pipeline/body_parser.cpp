// Parses JSON and urlencoded bodies into `req.body()`.
#include <string_view>

#include "base/ascii.hpp"
#include "chain/stages.hpp"
#include "http/header_values.hpp"

namespace fw::detail {
namespace {

BodyType type_of(std::string_view content_type) {
  const std::string_view type = http::media_type(content_type);
  if (http::is_json(type)) return BodyType::json;
  const bool is_form = base::equal_ignoring_case(type, "application/x-www-form-urlencoded");
  return is_form ? BodyType::form : BodyType::other;
}

class BodyParserStage : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    if (exchange.head.has_body) {
      exchange.parse_body(type_of(exchange.header("content-type").value_or("")));
    }
    next(exchange);
  }
};

}  // namespace

Stages body_parser_stage(const StageContext& context) {
  const Route* route = context.route;
  if (route == nullptr || !context.env.config.body_parser.enabled) return {};
  if (!has_request_body(*route)) return {};
  const BodyParser& options = route->options.body_parser;
  if (options.stream || !options.enabled.value_or(true)) return {};
  return one_stage<BodyParserStage>();
}

}  // namespace fw::detail
