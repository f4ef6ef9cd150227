// The stages that process a request, and what they know of a route when they are created.
#pragma once

#include <fairway/middleware.hpp>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/exchange.hpp"

namespace fw::detail {

class BackgroundPool;
class NextStages;
class StaticFiles;
class StoredResponses;

/// One step of the processing. Immutable and thread-safe.
class Stage {
 public:
  virtual ~Stage() = default;
  /// Runs the step and calls `next` for the following stages, unless processing ends here.
  virtual void run(Exchange& exchange, const NextStages& next) const = 0;
};

/// Stages in processing order. Empty for stages that a route does not need.
using Stages = std::vector<std::unique_ptr<Stage>>;

/// The stages after the running one.
class NextStages {
 public:
  explicit NextStages(std::span<const std::unique_ptr<Stage>> stages) : stages_(stages) {}
  void operator()(Exchange& exchange) const {
    if (!stages_.empty()) stages_.front()->run(exchange, NextStages(stages_.subspan(1)));
  }

 private:
  std::span<const std::unique_ptr<Stage>> stages_;
};

/// The routes that a setting of the configuration does not fit, by the error.
using SettingErrors = std::map<std::string, std::vector<const Route*>>;

/// What a function that creates a stage may look at, to decide whether a route needs it.
struct StageContext {
  const Environment& env;
  const Route* route;  ///< null for requests without a route
  const std::vector<Middleware>& global_middlewares;
  StoredResponses& responses;
  BackgroundPool& background;
  const StaticFiles& files;
  /// Creates the middleware of a reference with its options. Throws if the reference is invalid.
  const std::function<Middleware(const MiddlewareRef&)>& resolve_middleware;
  std::vector<std::string>& errors;
  SettingErrors& setting_errors;

  /// Reports an error in the declaration of the route.
  void error(const std::string& message) const {
    errors.push_back(source_of(*route) + ": " + name_of(*route) + ": " + message);
  }
  /// Reports an error in the configuration, once for all routes.
  void setting_error(const std::string& message) const { setting_errors[message].push_back(route); }
};

/// The result of a function of `stages.hpp` that creates one stage. Functions that may create none,
/// or a stage for each middleware, have the same type, so that composition treats all alike.
template <class S, class... Arguments>
Stages one_stage(Arguments&&... arguments) {
  Stages stages;
  stages.push_back(std::make_unique<S>(std::forward<Arguments>(arguments)...));
  return stages;
}

}  // namespace fw::detail
