#include <fairway/fairway.hpp>

#include "support/fetch_answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/get", [&app](fw::Request&, fw::Response& res) {
    answers::fetched(res, [&] { return app.fetch.get(answers::up(app, "/echo?q=1")); });
  });
});
