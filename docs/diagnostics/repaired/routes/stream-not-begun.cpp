#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/live",
        {.responses = {{"200", fw::events({{"created", {{"id", "integer"}}}})}}},
        [](fw::Request&, fw::Response& res) {
          auto stream = res.events();
          stream.send("created", {{"id", 7}});
        });
});
