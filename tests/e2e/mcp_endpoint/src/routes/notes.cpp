#include <fairway/fairway.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "notes.routes.hpp"

namespace {

struct Note {
  std::int64_t id;
  std::string text;
  std::vector<std::string> tags;
};

struct NewNote {
  fw::Field<"string:1-20"> text;
  std::optional<std::vector<std::string>> tags;
};

struct ById {
  fw::Field<"integer:1-"> id;
};

std::mutex g_mutex;
std::map<std::int64_t, Note> g_notes;
std::atomic<bool> g_is_released = false;
std::atomic<int> g_canceled = 0;

void wait_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.docs = {.summary = "Create a note", .operation_id = "createNote"}, .mcp = true},
           [](fw::Body<NewNote> body) -> fw::Created<Note> {
             const std::lock_guard lock(g_mutex);
             const auto id = static_cast<std::int64_t>(g_notes.size()) + 1;
             Note note{.id = id,
                       .text = body->text,
                       .tags = body->tags.value_or(std::vector<std::string>())};
             g_notes.emplace(id, note);
             return note;
           });
  app.get("/:id", {.docs = {.summary = "Read a note", .operation_id = "readNote"}, .mcp = true},
          [](fw::Param<ById> param) -> Note {
            const std::lock_guard lock(g_mutex);
            const auto found = g_notes.find(param->id);
            if (found == g_notes.end()) fw::raise(404, "no such note", "NOTE_NOT_FOUND");
            return found->second;
          });
  app.del("/",
          {.auth = true,
           .docs = {.summary = "Remove all notes", .operation_id = "clearNotes"},
           .mcp = true},
          [](fw::Request&, fw::Response& res) {
            const std::lock_guard lock(g_mutex);
            g_notes.clear();
            res.status(204).end();
          });
  app.get(
      "/late/wait",
      {.docs = {.operation_id = "waitLong"}, .timeout = std::chrono::milliseconds(50), .mcp = true},
      [](fw::Request&, fw::Response& res) {
        while (!g_is_released) wait_a_little();
        res.json("late");
      });
  app.post("/late/release", [](fw::Request&, fw::Response& res) {
    g_is_released = true;
    res.json(0);
  });
  app.get("/left/wait", {.docs = {.operation_id = "waitForClient"}, .mcp = true},
          [](fw::Request& req, fw::Response& res) {
            while (!req.signal().stop_requested()) wait_a_little();
            ++g_canceled;
            res.json(0);
          });
  app.get("/left/count", [](fw::Request&, fw::Response& res) { res.json(g_canceled.load()); });
});
