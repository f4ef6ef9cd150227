// Counts the responses for GET /health.
#include <fairway/fairway.hpp>

#include "services/request_counts.hpp"

FW_EXPORT_DEFAULT = fw::define_plugin({
    .name = "request-counts",
    .setup =
        [](fw::App& app) {
          auto& counts = app.services().add<RequestCounts>();
          app.hooks().on<fw::hooks::ResponseAfter>(
              [&counts](fw::hooks::ResponseAfter&) { ++counts.responses; });
          app.hooks().on<fw::hooks::ErrorAfterResponse>(
              [&counts](fw::hooks::ErrorAfterResponse&) { ++counts.errors; });
        },
});
