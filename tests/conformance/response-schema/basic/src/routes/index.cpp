#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(
      "/ok",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) {
        res.json(fw::Json(
            {{"id", 1}, {"name", "n"}, {"secret", "x"}, {"tags", fw::Json::array({"a"})}}));
      });

  app.get("/nested",
          {.responses = {{"200",
                          {{"id", "integer!"}, {"nested", {{"a", "string!"}, {"b", "number?"}}}}}}},
          [](fw::Request&, fw::Response& res) {
            res.json(fw::Json({{"id", 1}, {"top", 1}, {"nested", {{"a", "q"}, {"zz", 1}}}}));
          });

  app.get("/missing-nested",
          {.responses = {{"200",
                          {{"id", "integer!"}, {"nested", {{"a", "string!"}, {"b", "number?"}}}}}}},
          [](fw::Request&, fw::Response& res) {
            res.json(fw::Json({{"id", 1}, {"nested", {{"b", 1}}}}));
          });

  app.get(
      "/missing",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"id", 1}})); });

  app.get(
      "/wrong-type",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"id", "abc"}, {"name", 5}})); });

  app.get(
      "/numstr",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"id", "7"}, {"name", true}})); });

  app.get(
      "/arr-data",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.json(fw::Json::array({1})); });

  app.get(
      "/e404",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) {
        res.json(fw::Json({{"err", "x"}, {"more", 1}}), 404);
      });

  app.get(
      "/e418",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) {
        res.json(fw::Json({{"d", "x"}, {"err", "y"}, {"more", 1}}), 500);
      });

  app.get(
      "/p204",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"z", 1}}), 204); });

  app.get(
      "/text",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.text("raw"); });

  app.get(
      "/raw",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.raw_json(fw::Json({{"zz", 1}})); });

  app.get(
      "/throw",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [&app](fw::Request&, fw::Response&) { app.raise(404, "thrown"); });

  app.get(
      "/p201",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"d", "x"}, {"q", 1}}), 201); });

  app.get("/family", {.responses = {{"201", {{"e", "string!"}}}, {"2xx", {{"f", "string!"}}}}},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"f", "f"}, {"e", "e"}},
                     std::stoi(std::string(req.query("s").value_or("200"))));
          });

  app.get(
      "/json-schema",
      {.responses =
           {{"200",
             fw::json_schema(
                 R"({"type": "object", "properties": {"a": {"type": "integer"}, "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}}}, "required": ["a"]})")}}},
      [](fw::Request&, fw::Response& res) {
        res.json(
            fw::Json({{"a", 1},
                      {"b", 2},
                      {"list", fw::Json::array({{{"x", "y"}, {"z", 1}}, fw::Json::object()})}}));
      });

  app.get("/optional", {.responses = {{"200", {{"a", "string?"}, {"b", "integer?"}}}}},
          [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"c", 1}})); });

  app.get("/array", {.responses = {{"200", {{"items", fw::array_of({{"id", "integer!"}})}}}}},
          [](fw::Request&, fw::Response& res) {
            res.json(fw::Json({{"items", fw::Json::array({{{"id", 1}, {"x", 2}}})}}));
          });

  app.get("/array-missing",
          {.responses = {{"200", {{"items", fw::array_of({{"id", "integer!"}})}}}}},
          [](fw::Request&, fw::Response& res) {
            res.json(fw::Json({{"items", fw::Json::array({{{"x", 2}}})}}));
          });

  app.head(
      "/ok",
      {.responses = {{"200", {{"id", "integer!"}, {"name", "string!"}, {"tags", "array<string>?"}}},
                     {"4xx", {{"err", "string!"}}},
                     {"default", {{"d", "string?"}}}}},
      [](fw::Request&, fw::Response& res) { res.json(fw::Json({{"id", 1}})); });
});
