#include <fairway/fairway.hpp>

// Renders the page of 'unknown-page-variable'.
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.summary = "List the people"},
           .frontend = {.data = {{"people", fw::array_of({{"name", "string"}})}}}},
          [](fw::Request&, fw::Response& res) {
            res.render("unknown-page-variable", {{"people", fw::Json::array({{{"name", "Ada"}}})}});
          });
});
