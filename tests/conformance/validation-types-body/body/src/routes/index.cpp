#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/body/0", {.validate = {.body = {{"v", "string"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/1", {.validate = {.body = {{"v", "string:1-50"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/2", {.validate = {.body = {{"v", "string:3"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/3", {.validate = {.body = {{"v", "string:3-"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/4", {.validate = {.body = {{"v", "string:-5"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/5", {.validate = {.body = {{"v", "string?"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/6", {.validate = {.body = {{"v", "string!"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/7", {.validate = {.body = {{"v", "number"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/8", {.validate = {.body = {{"v", "number:0-"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/9", {.validate = {.body = {{"v", "number:1-100"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/10", {.validate = {.body = {{"v", "number?"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/11", {.validate = {.body = {{"v", "integer"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/12", {.validate = {.body = {{"v", "integer:1-"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/13", {.validate = {.body = {{"v", "integer:1-!"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/14", {.validate = {.body = {{"v", "integer:1-100"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/15", {.validate = {.body = {{"v", "integer?"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/16", {.validate = {.body = {{"v", "boolean"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/17", {.validate = {.body = {{"v", "boolean?"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/18", {.validate = {.body = {{"v", "email"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/19", {.validate = {.body = {{"v", "email?"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/20", {.validate = {.body = {{"v", "url"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/21", {.validate = {.body = {{"v", "date"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/22", {.validate = {.body = {{"v", "datetime"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/23", {.validate = {.body = {{"v", "time"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/24", {.validate = {.body = {{"v", "uuid"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/25", {.validate = {.body = {{"v", "enum:a,b,c"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/26", {.validate = {.body = {{"v", "enum:a,b,c?"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/27", {.validate = {.body = {{"v", "array"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/28", {.validate = {.body = {{"v", "array?"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/29", {.validate = {.body = {{"v", "array<string>"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/30", {.validate = {.body = {{"v", "object"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/31", {.validate = {.body = {{"v", "object?"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/32", {.validate = {.body = {{"v", "ipv4"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/33", {.validate = {.body = {{"v", "ipv6"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/34", {.validate = {.body = {{"v", "any"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });

  app.post("/body/35", {.validate = {.body = {{"v", "null"}}}},
           [](fw::Request& req, fw::Response& res) {
             res.json({{"valid", req.valid(fw::Location::body)}});
           });
});
