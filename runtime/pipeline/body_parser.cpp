// Rejects requests whose body has not arrived as it was announced, and parses JSON and urlencoded
// bodies into `req.body()`.
#include "chain/stages.hpp"
#include "exchange/parsed_body.hpp"

namespace fw::detail {
namespace {

class BodyParserStage : public Stage {
 public:
  explicit BodyParserStage(bool parses) : parses_(parses) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    if (exchange.head.has_body) {
      require_body(exchange);
      if (parses_) exchange.parse_body(body_type_of(exchange.header("content-type").value_or("")));
    }
    next(exchange);
  }

 private:
  /// The engine has received the body by now, whether or not the handler reads it: a client that
  /// waits for 100 Continue has got that. The exception is a body that is announced as larger than
  /// the limit, which is an error when it is read.
  static void require_body(Exchange& exchange) {
    const bool is_too_large = exchange.head.content_length.value_or(0) > exchange.route->body_limit;
    if (!is_too_large) exchange.raw_body();
  }

  const bool parses_;
};

bool parses_bodies(const StageContext& context) {
  return context.env.config.body_parser.enabled && has_request_body(*context.route) &&
         context.route->options.body_parser.enabled.value_or(true);
}

}  // namespace

Stages body_parser_stage(const StageContext& context) {
  const Route* route = context.route;
  if (route == nullptr || route->options.body_parser.stream) return {};
  return one_stage<BodyParserStage>(parses_bodies(context));
}

}  // namespace fw::detail
