#include <fairway/fairway.hpp>

#include <string>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/small.json", {.docs = {.operation_id = "small"}},
          [&app](fw::Request& req, fw::Response& res) {
            app.fetch.proxy["upstream"](req, res, {.path = "/small.json"});
          });

  app.get("/slow", {.docs = {.operation_id = "slow"}}, [&app](fw::Request&, fw::Response& res) {
    const std::string url = app.config().app.value("slow", "");
    res.json(app.fetch.get(url, {.timeout = 30'000}).json());
  });
});
