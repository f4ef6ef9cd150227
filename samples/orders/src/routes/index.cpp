#include <fairway/routes.hpp>

#include "index.routes.hpp"
#include "services/request_counts.hpp"

namespace {

struct Health {
  fw::Literal<"ok"> status;
  std::int64_t responses;
  std::int64_t errors;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(
      "/health",
      {
          .docs = {.summary = "Tell whether the service is up, and how many responses it has sent",
                   .tags = {"operations"},
                   .operation_id = "health"},
      },
      [&app]() -> Health {
        const auto& counts = app.services().get<RequestCounts>();
        return {.status = {}, .responses = counts.responses.load(), .errors = counts.errors.load()};
      });
});
