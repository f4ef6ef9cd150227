// Routes whose responses are streams, for the tests of both clients.
#include <fairway/fairway.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "index.routes.hpp"

namespace {

struct Moved {
  std::int64_t id;
  std::string to;
};

/// Names its events itself.
struct Removed {
  static constexpr std::string_view kEventName = "gone-for-good";
  std::int64_t id;
};

struct Count {
  std::int64_t count;
};

const fw::SchemaMap kOrder = {
    {"id", "integer"}, {"name", "string"}, {"state", "enum:open,paid"}, {"note", "string?"}};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/live",
          {.validate = {.query = {{"topic", "string?"}}},
           .responses = {{"200", fw::events({{"created", kOrder},
                                             {"deleted", {{"id", "integer"}}},
                                             {"tick", "integer"}})}},
           .docs = {.summary = "Orders as they change", .operation_id = "live"}},
          [&app](fw::Request&, fw::Response& res) {
            auto stream = res.events();
            stream.send("tick", 1);
            app.raise(409, "busy", "BUSY");
          });
  app.get("/rows/:id",
          {.validate = {.param = {{"id", "integer"}}},
           .responses = {{"200", fw::lines({{"n", "integer"}, {"text", "string"}})}},
           .docs = {.operation_id = "rows"}},
          [](fw::Request&, fw::Response& res) { res.lines().send(fw::Json{{"n", 1}}); });
  app.post("/ask",
           {.validate = {.body = {{"question", "string"}}},
            .responses = {{"200", fw::events({{"token", {{"text", "string"}}}})}},
            .docs = {.operation_id = "ask"}},
           [](fw::Request&, fw::Response& res) { res.events().close(); });
  app.get("/moves", {.docs = {.operation_id = "moves"}}, []() -> fw::Events<Moved, Removed> {
    return [](fw::EventStream stream) { stream.send(Moved{1, "here"}); };
  });
  app.get("/counts", {.docs = {.operation_id = "counts"}}, []() -> fw::Lines<Count> {
    return [](fw::LineStream stream) { stream.send(Count{1}); };
  });
});
