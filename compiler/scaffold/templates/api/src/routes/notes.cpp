#include <fairway/routes.hpp>

#include "models/note.hpp"
#include "notes.routes.hpp"  // generated: the code of the types that this file defines
#include "services/note_store.hpp"

namespace {

struct ById {
  fw::Field<"integer:1-"> id;
};

struct Page {
  fw::Field<"integer:1-100=20"> limit;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.docs = {.summary = "List the newest notes", .operation_id = "listNotes"}},
          [&app](fw::Query<Page> page) -> std::vector<Note> {
            return app.services().get<NoteStore>().list(page->limit);
          });

  app.post("/",
           {
               .middlewares = {"audit-log"},
               .docs = {.summary = "Create a note", .operation_id = "createNote"},
           },
           [&app](fw::Body<NewNote> note) -> fw::Created<Note> {
             return app.services().get<NoteStore>().create(*note);
           });

  app.get("/:id", {.docs = {.summary = "Read a note", .operation_id = "getNote"}},
          [&app](fw::Param<ById> param) -> Note {
            auto note = app.services().get<NoteStore>().find(param->id);
            if (!note) app.raise(404, "there is no such note");
            return *std::move(note);
          });

  app.del("/:id",
          {
              .middlewares = {"audit-log"},
              .docs = {.summary = "Delete a note",
                       .operation_id = "deleteNote",
                       .responses = {{"204", {.description = "The note is deleted"}}}},
          },
          [&app](fw::Param<ById> param) -> fw::NoContent {
            if (!app.services().get<NoteStore>().remove(param->id)) {
              app.raise(404, "there is no such note");
            }
            return {};
          });
});
