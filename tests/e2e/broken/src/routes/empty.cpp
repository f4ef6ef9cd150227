#include <fairway/fairway.hpp>

void routes(fw::Router& app) {
  app.get("/", [](fw::Request&, fw::Response& res) { res.json(1); });
}
