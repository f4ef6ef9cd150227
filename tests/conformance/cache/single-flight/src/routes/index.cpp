#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto counter = responses::new_counter();
  app.get("/slow", {.cache = 60000}, [counter](fw::Request&, fw::Response& res) {
    const int count = ++*counter;
    responses::wait(std::chrono::milliseconds(120));
    res.json({{"hits", count}});
  });
});
