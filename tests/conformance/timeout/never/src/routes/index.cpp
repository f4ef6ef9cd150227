#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/never", {.timeout = 50}, [](fw::Request& req, fw::Response& res) {
    static_cast<void>(res);
    answers::wait_for(req.signal(), std::chrono::seconds(5));
  });
});
