#include <fairway/fairway.hpp>

#include <string_view>

#include "../models/order.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/everything", {.docs = {.operation_id = "echoEverything"}},
           [](fw::Body<shop::Everything> body, fw::Response& res) { res.json(*body); });
  app.post("/folder", {.docs = {.operation_id = "echoFolder"}},
           [](fw::Body<shop::Folder> body) -> shop::Folder { return *body; });
  app.post("/items", {.docs = {.operation_id = "echoItems"}},
           [](fw::Body<std::vector<shop::Item>> body) -> std::vector<shop::Item> { return *body; });
  app.post("/renamed", {.docs = {.operation_id = "echoRenamed"}},
           [](fw::Body<shop::Renamed> body) -> shop::Renamed { return *body; });
  // Names of types in a parameter pack.
  app.post("/payments", [](fw::Body<std::vector<std::variant<shop::Card, shop::Transfer>>> body,
                           fw::Response& res) { res.json(*body); });
  app.post("/heir", [](fw::Body<shop::Heir> body, fw::Response& res) { res.json(*body); });
  app.get("/text", [] { return "text"; });
  app.get("/view", []() -> fw::Status<202, std::string_view> { return std::string_view("view"); });
  app.post("/options",
           {.validate = {.body = fw::type<shop::NewOrder>},
            .responses = {{"200", fw::type<shop::NewOrder>}}},
           [](fw::Request& req, fw::Response& res) { res.json(req.valid(fw::Location::body)); });
});
