#include <fairway/fairway.hpp>

#include "notes.routes.hpp"
#include "services/note_store.hpp"

namespace {

const fw::SchemaMap kNote = {{"id", "integer"}, {"title", "string"}, {"text", "string"}};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              .validate = {.query = {{"limit", "integer:1-100?"}}},
              .responses = {{"200", fw::array_of(kNote)}},
              .docs = {.summary = "List the newest notes", .operation_id = "listNotes"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto query = req.valid<routes::notes::ListNotes::Query>();
            const auto limit = static_cast<std::size_t>(query.limit.value_or(20));
            res.json(app.services().get<NoteStore>().list(limit));
          });

  app.post("/",
           {
               .validate = {.body = {{"title", "string:1-100"}, {"text", "string:-10000"}}},
               .middlewares = {"audit-log"},
               .responses = {{"201", kNote}},
               .docs = {.summary = "Create a note", .operation_id = "createNote"},
           },
           [&app](fw::Request& req, fw::Response& res) {
             auto body = req.valid<routes::notes::CreateNote::Body>();
             auto& notes = app.services().get<NoteStore>();
             res.json(notes.create(std::move(body.title), std::move(body.text)), 201);
           });

  app.get("/:id",
          {
              .validate = {.param = {{"id", "integer:1-"}}},
              .responses = {{"200", kNote}},
              .docs = {.summary = "Read a note", .operation_id = "getNote"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto id = req.valid<routes::notes::GetNote::Param>().id;
            const auto note = app.services().get<NoteStore>().find(id);
            if (!note) app.raise(404, "there is no such note");
            res.json(*note);
          });

  app.del("/:id",
          {
              .validate = {.param = {{"id", "integer:1-"}}},
              .middlewares = {"audit-log"},
              .docs = {.summary = "Delete a note",
                       .operation_id = "deleteNote",
                       .responses = {{204, {.description = "The note is deleted"}}}},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto id = req.valid<routes::notes::DeleteNote::Param>().id;
            if (!app.services().get<NoteStore>().remove(id)) {
              app.raise(404, "there is no such note");
            }
            res.json(nullptr, 204);
          });
});
