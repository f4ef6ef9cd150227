// The stages that process a request, and what they are composed from.
#pragma once

#include <fairway/middleware.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/exchange.hpp"

namespace fw::detail {

class Rest;
class StoredResponses;

/// One step. Immutable once composed: used by many threads at a time.
class Stage {
 public:
  virtual ~Stage() = default;
  /// Does its part and calls `rest` for the stages after it, unless processing ends here.
  virtual void run(Exchange& exchange, const Rest& rest) const = 0;
};

/// Stages in processing order. Those of one position are none when a route does not need them.
using Stages = std::vector<std::unique_ptr<Stage>>;

/// The stages after the running one.
class Rest {
 public:
  explicit Rest(std::span<const std::unique_ptr<Stage>> stages) : stages_(stages) {}
  void operator()(Exchange& exchange) const {
    if (!stages_.empty()) stages_.front()->run(exchange, Rest(stages_.subspan(1)));
  }

 private:
  std::span<const std::unique_ptr<Stage>> stages_;
};

/// What a stage may look at when it decides whether a route needs it.
struct Composition {
  const Environment& env;
  const Route* route;  ///< null: for requests without a route
  const std::vector<Middleware>& global_middlewares;
  StoredResponses& responses;
  /// The middleware of a reference, made with its options. Throws when the route cannot have it.
  const std::function<Middleware(const MiddlewareRef&)>& resolve_middleware;
  std::vector<std::string>& errors;

  /// Reports what is wrong with the route's declaration.
  void error(const std::string& message) const {
    errors.push_back(source_of(*route) + ": " + name_of(*route) + ": " + message);
  }
};

template <class S, class... Arguments>
Stages one_stage(Arguments&&... arguments) {
  Stages stages;
  stages.push_back(std::make_unique<S>(std::forward<Arguments>(arguments)...));
  return stages;
}

}  // namespace fw::detail
