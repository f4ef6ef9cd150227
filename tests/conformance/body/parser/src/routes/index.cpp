#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/b", [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.get("/b", [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.del("/b", [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.patch("/b", [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.post("/small", {.body_parser = {.max_body_size = 10}},
           [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.post("/legacy", {.override_ = {.max_body_size = "20b"}},
           [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.post("/both", {.body_parser = {.max_body_size = 10}, .override_ = {.max_body_size = 1000}},
           [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.post("/both-empty", {.body_parser = {}, .override_ = {.max_body_size = 10}},
           [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.post("/off", {.body_parser = {.enabled = false}},
           [](fw::Request& req, fw::Response& res) { responses::parsed_body(req, res); });

  app.post("/big", {.body_parser = {.max_body_size = "2mb"}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"n", responses::characters(req.body().dump())}});
           });

  app.post("/raw", [](fw::Request& req, fw::Response& res) {
    const std::string raw(req.raw_body());
    res.json({{"raw", raw}, {"again", req.raw_body_buffer().size()}});
  });
});
