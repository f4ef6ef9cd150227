// What the pipeline needs of the parts of the framework that only some applications use. A program
// contains them if its table names them (fw::detail::Features), so everything else reaches them
// through these tables of functions.
#pragma once

#include <fairway/generated/route_table.hpp>

#include <memory>

#include "chain/stage.hpp"

namespace fw::detail {

/// features/cache/cache_stage.cpp
struct CachedRoutes {
  Stages (*middleware_reads_stage)(const StageContext& context);
  Stages (*cache_stage)(const StageContext& context);
  /// See EarlyWaiter::create.
  std::shared_ptr<EarlyWaiter> (*create_early_waiter)(const Environment& env, const Route& route,
                                                      const StoredResponses& responses);
};

/// features/pages/rendered_page_stage.cpp
struct PageRoutes {
  /// A page that is rendered before its requests: `mode` of `frontend`. Runs the handler itself
  /// where that is necessary.
  Stages (*rendered_page_stage)(const StageContext& context);
};

}  // namespace fw::detail
