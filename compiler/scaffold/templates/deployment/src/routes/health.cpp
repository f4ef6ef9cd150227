#include <fairway/routes.hpp>

#include "health.routes.hpp"

namespace {

struct Health {
  fw::Literal<"ok"> status;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.summary = "Tell whether the service is up",
                    .tags = {"operations"},
                    .operation_id = "health"}},
          []() -> Health { return {}; });
});
