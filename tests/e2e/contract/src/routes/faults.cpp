// Routes that do not do what they declare, one for each kind of violation, and one that does.
#include <fairway/fairway.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <sys/socket.h>
#include <thread>

namespace {

const fw::SchemaMap kItem = {{"id", "integer"}, {"name", "string"}};

fw::Json envelope(fw::Json data) {
  return {{"code", 0}, {"data", std::move(data)}, {"requestId", "1"}};
}

/// The connections are closed a while before the process has ended, as when it leaves a large core.
[[noreturn]] void crash() {
  for (int descriptor = 3; descriptor < 256; ++descriptor) ::shutdown(descriptor, SHUT_RDWR);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::abort();
}

// The document says what handlers send, so that these must not be visible in the handlers.
int accepted() { return 202; }
const std::function<void(fw::Response&)> send_text = [](fw::Response& res) { res.text("a"); };
const std::function<void(int, const char*)> fail = [](int status, const char* message) {
  fw::raise(status, message);
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/good",
          {.validate = {.query = {{"limit", "integer:1-10"}}},
           .responses = {{"200", kItem}},
           .docs = {.summary = "As declared", .operation_id = "good"}},
          [](fw::Request&, fw::Response& res) { res.json({{"id", 1}, {"name", "a"}}); });

  app.get("/missing-member",
          {.responses = {{"200", kItem}},
           .docs = {.summary = "Missing member", .operation_id = "missingMember"}},
          [](fw::Request&, fw::Response& res) { res.raw_json(envelope({{"id", 1}})); });

  app.get("/wrong-type",
          {.responses = {{"200", kItem}},
           .docs = {.summary = "Wrong type", .operation_id = "wrongType"}},
          [](fw::Request&, fw::Response& res) {
            res.raw_json(envelope({{"id", "1"}, {"name", "a"}}));
          });

  app.get(
      "/undeclared-status",
      {.responses = {{"200", kItem}},
       .docs = {.summary = "Undeclared status", .operation_id = "undeclaredStatus"}},
      [](fw::Request&, fw::Response& res) { res.json({{"id", 1}, {"name", "a"}}, accepted()); });

  app.get("/server-error",
          {.responses = {{"200", kItem}},
           .docs = {.summary = "Server error", .operation_id = "serverError"}},
          [](fw::Request&, fw::Response&) { fail(500, "out of order"); });

  app.get("/undeclared-type",
          {.responses = {{"200", kItem}},
           .docs = {.summary = "Undeclared media type", .operation_id = "undeclaredType"}},
          [](fw::Request&, fw::Response& res) { send_text(res); });

  app.get("/accepts-anything",
          {.validate = {.query = {{"limit", "integer:1-10"}}},
           .middlewares = {"lenient"},
           .responses = {{"200", kItem}},
           .docs = {.summary = "Accepts invalid requests", .operation_id = "acceptsAnything"}},
          [](fw::Request&, fw::Response&) {});

  app.post("/rejects-anything",
           {.validate = {.body = {{"name", "string:1-5"}}},
            .responses = {{"200", kItem}},
            .docs = {.summary = "Rejects valid requests", .operation_id = "rejectsAnything"}},
           [&app](fw::Request&, fw::Response&) { app.raise(422, "never good enough"); });

  app.put("/wrong-status/:id",
          {.validate = {.param = {{"id", "integer:1-"}}},
           .middlewares = {"wrong-status"},
           .responses = {{"200", kItem}},
           .docs = {.summary = "Wrong status", .operation_id = "wrongStatus"}},
          [](fw::Request&, fw::Response& res) { res.json({{"id", 1}, {"name", "a"}}); });

  app.get("/open-door",
          {.responses = {{"200", kItem}},
           .docs = {.summary = "Requires no credentials",
                    .operation_id = "openDoor",
                    .security = {{{"bearerAuth", {}}}}}},
          [](fw::Request&, fw::Response& res) { res.json({{"id", 1}, {"name", "a"}}); });

  app.get("/gone",
          {.responses = {{"200", kItem}}, .docs = {.summary = "Gone", .operation_id = "gone"}},
          [](fw::Request&, fw::Response&) { fail(404, "no longer there"); });

  app.get("/crash",
          {.responses = {{"200", kItem}}, .docs = {.summary = "Crash", .operation_id = "crash"}},
          [](fw::Request&, fw::Response&) { crash(); });
});
