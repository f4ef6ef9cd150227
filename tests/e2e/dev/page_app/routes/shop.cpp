#include <fairway/fairway.hpp>

#include <chrono>
#include <stdexcept>
#include <thread>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/items/:id", [](fw::Request&, fw::Response& res) {
    res.json({{"id", 7}, {"token", "confidential-token"}});
  });
  app.get("/broken", [](fw::Request&, fw::Response&) { throw std::runtime_error("broken"); });
  app.get("/slow", [](fw::Request& req, fw::Response& res) {
    auto span = req.span("price");
    span.set("currency", "EUR");
    req.app().logger().warn("priced", {{"currency", "EUR"}, {"api_key", "confidential"}});
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    res.json("slow");
  });
  app.post("/orders", {.validate = {.body = {{"name", "string:1-5"}, {"password", "string"}}}},
           [](fw::Request&, fw::Response& res) { res.json("ordered"); });
});
