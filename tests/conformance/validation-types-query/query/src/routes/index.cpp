#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/query/0", {.validate = {.query = {{"v", "string"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/1", {.validate = {.query = {{"v", "string:1-50"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/2", {.validate = {.query = {{"v", "string:3"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/3", {.validate = {.query = {{"v", "string:3-"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/4", {.validate = {.query = {{"v", "string:-5"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/5", {.validate = {.query = {{"v", "string?"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/6", {.validate = {.query = {{"v", "string!"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/7", {.validate = {.query = {{"v", "number"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/8", {.validate = {.query = {{"v", "number:0-"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/9", {.validate = {.query = {{"v", "number:1-100"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/10", {.validate = {.query = {{"v", "number?"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/11", {.validate = {.query = {{"v", "integer"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/12", {.validate = {.query = {{"v", "integer:1-"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/13", {.validate = {.query = {{"v", "integer:1-!"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/14", {.validate = {.query = {{"v", "integer:1-100"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/15", {.validate = {.query = {{"v", "integer?"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/16", {.validate = {.query = {{"v", "boolean"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/17", {.validate = {.query = {{"v", "boolean?"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/18", {.validate = {.query = {{"v", "email"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/19", {.validate = {.query = {{"v", "email?"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/20", {.validate = {.query = {{"v", "url"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/21", {.validate = {.query = {{"v", "date"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/22", {.validate = {.query = {{"v", "datetime"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/23", {.validate = {.query = {{"v", "time"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/24", {.validate = {.query = {{"v", "uuid"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/25", {.validate = {.query = {{"v", "enum:a,b,c"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/26", {.validate = {.query = {{"v", "enum:a,b,c?"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/32", {.validate = {.query = {{"v", "ipv4"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/33", {.validate = {.query = {{"v", "ipv6"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });

  app.get("/query/34", {.validate = {.query = {{"v", "any"}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"valid", req.valid(fw::Location::query)}});
          });
});
