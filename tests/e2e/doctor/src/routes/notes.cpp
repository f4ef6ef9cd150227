#include <fairway/fairway.hpp>

namespace {
void list(fw::Request&, fw::Response& res) { res.json(fw::Json::array()); }
const fw::RouteOptions kAll = {.responses = {{"200", "array<string>"}},
                               .docs = {.operation_id = "listAllNotes"}};
}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.responses = {{"200", "array<string>"}},
           .docs = {.operation_id = "listNotes"}},  // the summary is missing
          list);
  // NOLINTNEXTLINE(missing-docs-summary, readability-magic-numbers)
  app.get("/all", kAll, list);
  app.get("/new",
          {.responses = {{"200", "array<string>"}},
           .docs = {.summary = "New notes",
                    .operation_id = "newNotes"}},  // NOLINT(missing-docs-summary)
          list);
});
