// GET cases.
#include <fairway/fairway.hpp>

#include "index.routes.hpp"
#include "workload.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/hello",
          {
              .responses = {{"200",
                             {{"message", "string"}, {"version", "integer"}, {"ok", "boolean"}}}},
              .docs = {.operation_id = "hello"},
          },
          [](fw::Request&, fw::Response& res) {
            res.json(routes::index::Hello::Response200{
                .message = "Hello, World!", .version = 1, .ok = true});
          });

  // As /hello, but reads the session, which the first request of a client makes.
  app.get("/session",
          {
              .responses = {{"200",
                             {{"message", "string"}, {"version", "integer"}, {"ok", "boolean"}}}},
              .docs = {.operation_id = "getSession"},
          },
          [](fw::Request& req, fw::Response& res) {
            const auto user = req.session().get<std::string>("user");
            if (!user) req.session().set("user", "ada");
            res.json(routes::index::GetSession::Response200{
                .message = "Hello, World!", .version = 1, .ok = true});
          });

  app.get("/cached",
          {
              .cache = {{.ttl = 3'600'000}},
              .responses = {{"200",
                             {{"message", "string"}, {"version", "integer"}, {"ok", "boolean"}}}},
              .docs = {.operation_id = "cached"},
          },
          [](fw::Request&, fw::Response& res) {
            res.set_header("etag", "\"1\"");
            res.json({{"message", "Hello, World!"}, {"version", 1}, {"ok", true}});
          });

  app.get("/users/:id",
          {
              .validate = {.param = {{"id", "string:1-40"}}},
              .responses = {{"200", {{"id", "string"}, {"name", "string"}, {"active", "boolean"}}}},
              .docs = {.operation_id = "getUser"},
          },
          [](fw::Request& req, fw::Response& res) {
            res.json(routes::index::GetUser::Response200{
                .id = req.valid<routes::index::GetUser::Param>().id,
                .name = "Ada Lovelace",
                .active = true});
          });

  app.get("/articles",
          {
              .responses = {{"200",
                             {{"items", fw::array_of({{"sku", "string"},
                                                      {"name", "string"},
                                                      {"quantity", "integer"},
                                                      {"price", "number"}})}}}},
              .docs = {.operation_id = "listArticles"},
          },
          [](fw::Request&, fw::Response& res) {
            routes::index::ListArticles::Response200 body;
            for (auto& [sku, name, quantity, price] : bench::articles()) {
              body.items.push_back({.sku = std::move(sku),
                                    .name = std::move(name),
                                    .quantity = quantity,
                                    .price = price});
            }
            res.json(body);
          });

  app.get("/file", {.docs = {.operation_id = "getFile"}},
          [](fw::Request&, fw::Response& res) { res.text(bench::file()); });

  app.post("/upload",
           {
               .responses = {{"200", {{"size", "integer"}}}},
               .docs = {.operation_id = "upload"},
               .body_parser = {.max_body_size = "2mb"},
           },
           [](fw::Request& req, fw::Response& res) {
             res.json(routes::index::Upload::Response200{
                 .size = static_cast<std::int64_t>(req.raw_body().size())});
           });

  app.get("/stream", {.docs = {.operation_id = "getStream"}}, [](fw::Request&, fw::Response& res) {
    std::size_t left = bench::kPiece * bench::kPieces;
    res.stream([left](std::span<char> buffer) mutable {
      const auto size = std::min(left, buffer.size());
      std::fill_n(buffer.data(), size, 'x');
      left -= size;
      return size;
    });
  });
});
