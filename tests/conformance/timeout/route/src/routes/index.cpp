#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/slow", {.timeout = 80}, [](fw::Request&, fw::Response& res) {
    responses::wait(std::chrono::milliseconds(1000));
    res.json(fw::Json({{"done", true}}));
  });

  app.get("/legacy", {.override_ = {.timeout = 80}}, [](fw::Request&, fw::Response& res) {
    responses::wait(std::chrono::milliseconds(1000));
    res.json(fw::Json({{"done", true}}));
  });

  app.get("/throws-late", {.timeout = 50}, [](fw::Request&, fw::Response&) {
    responses::wait(std::chrono::milliseconds(400));
    throw std::runtime_error("late");
  });

  app.get("/fast", {.timeout = 200}, [](fw::Request&, fw::Response& res) {
    responses::wait(std::chrono::milliseconds(10));
    res.json(fw::Json({{"done", true}}));
  });

  app.get("/off", {.override_ = {.timeout = 50}, .timeout = false},
          [](fw::Request&, fw::Response& res) {
            responses::wait(std::chrono::milliseconds(150));
            res.json(fw::Json({{"done", true}}));
          });

  app.get("/both", {.override_ = {.timeout = 20}, .timeout = 300},
          [](fw::Request&, fw::Response& res) {
            responses::wait(std::chrono::milliseconds(100));
            res.json(fw::Json({{"done", true}}));
          });

  app.get("/stream", {.timeout = 50}, [](fw::Request&, fw::Response& res) {
    res.stream(responses::chunks({"x", "x", "x"}, std::chrono::milliseconds(40)));
  });
});
