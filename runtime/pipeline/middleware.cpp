// Runs middlewares: those of the application, then those that the route refers to.
#include <stdexcept>
#include <utility>

#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

class MiddlewareStage : public Stage {
 public:
  explicit MiddlewareStage(Middleware middleware) : middleware_(std::move(middleware)) {}

  void run(Exchange& exchange, const Rest& rest) const override {
    // One pointer to this frame fits into std::function without an allocation.
    struct Frame {
      Exchange& exchange;
      const Rest& rest;
      bool called = false;
    } frame{exchange, rest};
    middleware_(exchange.request, exchange.response, Next([&frame] {
                  if (std::exchange(frame.called, true)) {
                    throw std::logic_error("a middleware called next twice");
                  }
                  frame.rest(frame.exchange);
                }));
  }

 private:
  Middleware middleware_;
};

}  // namespace

Stages global_middleware_stages(const Composition& composition) {
  Stages stages;
  if (composition.route == nullptr) return stages;
  for (const Middleware& middleware : composition.global_middlewares) {
    stages.push_back(std::make_unique<MiddlewareStage>(middleware));
  }
  return stages;
}

Stages route_middleware_stages(const Composition& composition) {
  Stages stages;
  if (composition.route == nullptr) return stages;
  for (const MiddlewareRef& reference : composition.route->options.middlewares) {
    try {
      stages.push_back(
          std::make_unique<MiddlewareStage>(composition.resolve_middleware(reference)));
    } catch (const std::exception& error) {
      composition.fault("middleware '" + reference.name() + "' " + error.what());
    }
  }
  return stages;
}

}  // namespace fw::detail
