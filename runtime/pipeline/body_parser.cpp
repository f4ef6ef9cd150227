// Parses JSON and urlencoded bodies into `req.body()`.
#include "chain/stages.hpp"
#include "pipeline/body_type.hpp"

namespace fw::detail {
namespace {

class BodyParserStage : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    if (exchange.head.has_body) {
      exchange.parse_body(body_type_of(exchange.header("content-type").value_or("")));
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
