#include <fairway/fairway.hpp>

#include <string>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/text", {.cache = 60000}, [counter](fw::Request&, fw::Response& res) {
    res.text("t" + std::to_string(++*counter));
  });
  app.get("/throw", {.cache = 60000}, [counter, &app](fw::Request&, fw::Response&) {
    app.raise(404, "n" + std::to_string(++*counter));
  });
  app.get("/redir", {.cache = 60000}, [counter](fw::Request&, fw::Response& res) {
    res.redirect("/x" + std::to_string(++*counter));
  });
});
