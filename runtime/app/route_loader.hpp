// Runs the factories of route files and adds the registered routes to the pipeline.
#pragma once

#include <fairway/generated/route_table.hpp>
#include <fairway/router.hpp>

#include <deque>
#include <string>
#include <vector>

#include "pipeline/pipeline.hpp"

namespace fw::detail {

class RouteLoader {
 public:
  RouteLoader(App& app, Pipeline& pipeline) : app_(app), pipeline_(pipeline) {}

  /// Appends an error if the file does not export routes or its factory fails, for each route that
  /// was added, removed or changed since the table was built, and for each invalid declaration.
  void load(const RouteFileRow& file, std::vector<std::string>& errors);

 private:
  App& app_;
  Pipeline& pipeline_;
  std::deque<Router> routers_;  ///< kept because handlers refer to them
};

}  // namespace fw::detail
