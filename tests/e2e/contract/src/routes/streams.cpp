// Streams that do what their document says: one that ends, one that continues, and lines.
#include <fairway/fairway.hpp>

#include <mutex>
#include <utility>
#include <vector>

namespace {

/// Streams that are never ended by the application.
class OpenStreams {
 public:
  void add(fw::EventStream stream) {
    const std::lock_guard lock(mutex_);
    streams_.push_back(std::move(stream));
  }

 private:
  std::mutex mutex_;
  std::vector<fw::EventStream> streams_;
};

const fw::SchemaMap kCreated = {{"id", "integer"}};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/events",
          {.responses = {{"200", fw::events({{"created", kCreated}, {"count", "integer"}})}},
           .docs = {.summary = "Ends after two events", .operation_id = "goodEvents"}},
          [](fw::Request&, fw::Response& res) {
            fw::EventStream stream = res.events();
            stream.send("created", {{"id", 1}});
            stream.send("count", 1);
          });

  app.get("/live",
          {.responses = {{"200", fw::events({{"created", kCreated}})}},
           .docs = {.summary = "Does not end", .operation_id = "openEvents"}},
          [](fw::Request&, fw::Response& res) {
            static OpenStreams streams;
            fw::EventStream stream = res.events();
            stream.send("created", {{"id", 1}});
            streams.add(std::move(stream));
          });

  app.get("/lines",
          {.responses = {{"200", fw::lines({{"id", "integer"}})}},
           .docs = {.summary = "Ends after two lines", .operation_id = "goodLines"}},
          [](fw::Request&, fw::Response& res) {
            fw::LineStream lines = res.lines();
            lines.send({{"id", 1}});
            lines.send({{"id", 2}});
          });
});
