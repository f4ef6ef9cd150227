#include <fairway/fairway.hpp>

#include "support/fetch_results.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/get", [&app](fw::Request&, fw::Response& res) {
    responses::fetched(res, [&] { return app.fetch.get(responses::up(app, "/echo?q=1")); });
  });
});
