// The profiles baseline, limited-conn, pipelined, json, json-comp, upload and echo-ws.
#include <fairway/fairway.hpp>

#include <array>
#include <charconv>

#include "../models/dataset.hpp"
#include "index.routes.hpp"

namespace {

struct Terms {
  std::int64_t a;
  std::int64_t b;
};

struct Count {
  fw::Field<"integer:1-50"> count;
};

struct Multiplier {
  fw::Field<"integer:1-1000"> m;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/baseline11", {.docs = {.operation_id = "sumOfQuery"}},
          [](fw::Query<Terms> terms, fw::Response& res) {
            res.text(std::to_string(terms->a + terms->b));
          });

  app.post("/baseline11", {.docs = {.operation_id = "sumOfQueryAndBody"}},
           [&app](fw::Query<Terms> terms, fw::Request& req, fw::Response& res) {
             const std::string_view body = req.raw_body();
             std::int64_t term = 0;
             const auto [end, error] =
                 std::from_chars(body.data(), body.data() + body.size(), term);
             if (error != std::errc() || end != body.data() + body.size()) {
               app.raise(400, "the body must be an integer");
             }
             res.text(std::to_string(terms->a + terms->b + term));
           });

  app.get("/pipeline", {.docs = {.operation_id = "pipeline"}},
          [](fw::Request&, fw::Response& res) { res.text("ok"); });

  app.get("/json/:count", {.docs = {.operation_id = "listItems"}},
          [](fw::Param<Count> param, fw::Query<Multiplier> query) -> arena::Page {
            const auto& items = arena::dataset();
            const auto count =
                std::min(static_cast<std::size_t>(param->count.value()), items.size());
            arena::Page page{.items = {}, .count = static_cast<std::int64_t>(count)};
            page.items.reserve(count);
            for (std::size_t i = 0; i < count; ++i) {
              page.items.push_back({items[i], items[i].price * items[i].quantity * query->m});
            }
            return page;
          });

  app.post("/upload",
           {.docs = {.operation_id = "upload"},
            .body_parser = {.max_body_size = "32mb", .stream = true}},
           [](fw::Request& req, fw::Response& res) {
             fw::Readable body = req.body_stream();
             std::array<char, 64 * 1024> buffer;
             std::size_t size = 0;
             while (const std::size_t count = body.read(buffer)) size += count;
             res.text(std::to_string(size));
           });

  app.socket(
      "/ws", {.docs = {.operation_id = "echo"}, .receive = fw::raw, .send = fw::raw},
      [](fw::Request&, fw::Socket& socket) {
        socket.on_text([](std::string_view text, fw::Socket& from) { from.send_text(text); });
        socket.on_binary([](std::string_view bytes, fw::Socket& from) { from.send_binary(bytes); });
      });
});
