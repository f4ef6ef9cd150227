// Reports routes that end without a response, which is an error in the application.
#include <stdexcept>

#include "chain/stages.hpp"
#include "http/response_head.hpp"

namespace fw::detail {
namespace {

class ResponseRequired : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    next(exchange);
    if (exchange.outgoing.is_set() || exchange.transaction->has_response()) return;
    if (!http::allows_content(exchange.outgoing.status)) return exchange.outgoing.end();
    throw std::logic_error("no response was sent by " + name_of(*exchange.route) + " (" +
                           source_of(*exchange.route) +
                           "): a handler, or a middleware that does not call next, must respond");
  }
};

}  // namespace

Stages response_required_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  return one_stage<ResponseRequired>();
}

}  // namespace fw::detail
