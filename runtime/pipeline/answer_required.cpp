// A route that ends without an answer is a fault of the application.
#include <stdexcept>

#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

class AnswerRequired : public Stage {
 public:
  void run(Exchange& exchange, const Rest& rest) const override {
    rest(exchange);
    if (exchange.answered() || exchange.transaction->answered()) return;
    if (is_bodiless(exchange.answer.status)) return exchange.answer_empty();
    throw std::logic_error("no answer was given by " + name_of(*exchange.route) + " (" +
                           place_of(*exchange.route) +
                           "): a handler, or a middleware that does not call next, answers");
  }
};

}  // namespace

Stages answer_required_stage(const Composition& composition) {
  if (composition.route == nullptr) return {};
  return one_stage<AnswerRequired>();
}

}  // namespace fw::detail
