// The routes of typed.cpp with schema maps: requests to both must get the same responses.
#include <fairway/fairway.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../note_service.hpp"

using fw::Json;
using fw::Location;

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/login", {.session = true, .csrf = false}, [](fw::Request& req, fw::Response& res) {
    req.session().set("userId", "rita");
    res.status(204).end();
  });
  app.get("/token", {.session = true},
          [](fw::Request& req, fw::Response& res) { res.json(req.csrf_token()); });

  app.post("/notes/:id",
           {.validate = {.param = {{"id", "integer:1-"}},
                         .query = {{"lang", "enum:en,de?"}, {"copies", "integer:1-3=1"}},
                         .header = {{"x-tenant", "string:1-10"}},
                         .cookie = {{"theme", "string?"}},
                         .body = {{"text", "string:1-20"},
                                  {"stars", "integer:0-9=3"},
                                  {"tags", "array<string>:-3?"},
                                  {"author",
                                   fw::optional({{"name", "string:1-"}, {"email", "email?"}})}}},
            .auth = fw::AuthRequirement{.roles = {"editor"}},
            .session = true},
           [](fw::Request& req, fw::Response& res) {
             const Json& body = req.valid(Location::body);
             const Json& query = req.valid(Location::query);
             Json note = {{"id", req.valid(Location::param)["id"]},
                          {"text", body["text"]},
                          {"stars", body["stars"]},
                          {"tags", body.value("tags", Json::array())},
                          {"author", ""},
                          {"lang", query.value("lang", "none")},
                          {"copies", query["copies"]},
                          {"tenant", req.valid(Location::header)["x-tenant"]},
                          {"theme", req.valid(Location::cookie).value("theme", "none")},
                          {"user", req.auth().user_id}};
             if (body.contains("author")) note["author"] = body["author"]["name"];
             res.json(note, 201);
           });

  app.post("/forms",
           {.validate = {.body = {{"title", "string:1-20"},
                                  {"count", "integer:0-"},
                                  {"tags", "array<string>?"},
                                  {"draft", "boolean=false"}}},
            .multipart = {.enabled = true, .fields = true}},
           [](fw::Request& req, fw::Response& res) {
             const Json& form = req.valid(Location::body);
             Json shown = Json::object();
             for (const char* name : {"title", "count", "tags", "draft"}) {
               if (form.contains(name)) shown[name] = form[name];
             }
             res.json(shown);
           });

  app.get("/list",
          {.validate = {.query = {{"page", "integer:1-=1"}, {"sort", "string?"}},
                        .header = {{"x-tenant", "string:1-10"}}},
           .cache = {{.ttl = 60'000,
                      .query = {"page", "sort"},
                      .partition_key =
                          [](fw::Request& req) {
                            return std::string(req.header("x-tenant").value_or("none"));
                          }}}},
          [runs = std::make_shared<std::atomic<int>>()](fw::Request& req, fw::Response& res) {
            const Json& query = req.valid(Location::query);
            res.json({{"page", query["page"]},
                      {"run", ++*runs},
                      {"sort", query.value("sort", "none")},
                      {"tenant", req.valid(Location::header)["x-tenant"]}});
          });
  app.get("/dependent", {.validate = {.header = {{"x-tenant", "string:1-10"}}}, .cache = 60'000},
          [](fw::Request& req, fw::Response& res) {
            res.json({{"x-tenant", req.valid(Location::header)["x-tenant"]}});
          });

  app.get(
      "/words",
      {.validate = {.query = {{"page", "integer:1-=1"}, {"sort", "string?"}}}, .compression = true},
      [](fw::Request& req, fw::Response& res) {
        const auto count = req.valid(Location::query)["page"].get<std::size_t>();
        res.json({{"word", "word"}, {"words", std::vector<std::string>(count, "a repeated word")}});
      });

  app.post("/slow",
           {.validate = {.body = {{"text", "string:1-20"},
                                  {"stars", "integer:0-9=3"},
                                  {"tags", "array<string>:-3?"},
                                  {"author",
                                   fw::optional({{"name", "string:1-"}, {"email", "email?"}})}}},
            .timeout = 30},
           [&app](fw::Request& req, fw::Response& res) {
             const Json& body = req.valid(Location::body);
             while (!req.signal().stop_requested()) {
               std::this_thread::sleep_for(std::chrono::milliseconds(1));
             }
             app.services().get<notes::LateInput>().set(body["text"].get<std::string>() + "/" +
                                                        body["author"]["name"].get<std::string>());
             res.json(body, 201);
           });
  app.post(
      "/quick",
      {.validate = {.body = {{"text", "string:1-20"},
                             {"stars", "integer:0-9=3"},
                             {"tags", "array<string>:-3?"},
                             {"author",
                              fw::optional({{"name", "string:1-"}, {"email", "email?"}})}}},
       .timeout = 60'000},
      [](fw::Request& req, fw::Response& res) { res.json(req.valid(Location::body)["text"]); });

  app.get("/errors/:id", {.validate = {.param = {{"id", "integer:1-"}}}},
          [&app](fw::Request& req, fw::Response& res) {
            const auto id = req.valid(Location::param)["id"].get<std::int64_t>();
            res.set_header("x-set", "before");
            if (id == 1) app.raise(410, "gone", "note.gone");
            if (id == 2) throw std::runtime_error("broken");
            if (id == 3) throw fw::ValidationError({{"id", "is taken"}});
            if (id == 5) return res.json({{"sent", true}}, 203);
            if (id == 6) return res.stream(fw::Readable(std::string("streamed")), "text/plain");
            if (id == 7) app.raise(404, "note.missing", {{"id", 7}});
            res.json({{"page", id}, {"run", 0}, {"sort", ""}, {"tenant", ""}});
          });
});
