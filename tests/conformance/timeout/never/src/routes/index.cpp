#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/never", {.timeout = 50}, [](fw::Request& req, fw::Response& res) {
    static_cast<void>(res);
    responses::wait_for(req.signal(), std::chrono::seconds(5));
  });
});
