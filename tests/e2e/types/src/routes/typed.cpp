// Types together with other features. maps.cpp has the same routes with schema maps.
#include <fairway/fairway.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../models/note.hpp"
#include "../note_service.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/login", {.session = true, .csrf = false}, [](fw::Request& req) -> fw::NoContent {
    req.session().set("userId", "rita");
    return {};
  });
  app.get("/token", {.session = true},
          [](fw::Request& req) -> std::string { return req.csrf_token(); });

  app.post("/notes/:id", {.auth = fw::AuthRequirement{.roles = {"editor"}}, .session = true},
           [](fw::Request& req, fw::Param<notes::NoteId> by, fw::Query<notes::Copies> query,
              fw::Header<notes::NoteTenant> header, fw::Cookie<notes::Theme> cookie,
              fw::Body<notes::NewNote> body) -> fw::Created<notes::Note> {
             notes::Note note{.id = by->id,
                              .text = body->text,
                              .stars = body->stars,
                              .tags = {},
                              .author = {},
                              .lang = "none",
                              .copies = query->copies,
                              .tenant = header->tenant,
                              .theme = cookie->theme.value_or("none"),
                              .user = req.auth().user_id};
             if (body->tags) note.tags = body->tags->value();
             if (body->author) note.author = body->author->name;
             if (query->lang) note.lang = *query->lang == notes::Language::en ? "en" : "de";
             return note;
           });

  app.post("/forms", {.multipart = {.enabled = true, .fields = true}},
           [](fw::Body<notes::Form> form) -> notes::Form { return *form; });

  app.get("/list",
          {.cache = {{.ttl = 60'000,
                      .query = {"page", "sort"},
                      .partition_key =
                          [](fw::Request& req) {
                            return std::string(req.header("x-tenant").value_or("none"));
                          }}}},
          [runs = std::make_shared<std::atomic<int>>()](
              fw::Query<notes::Page> query, fw::Header<notes::NoteTenant> header) -> notes::Listed {
            return {.page = query->page,
                    .run = ++*runs,
                    .sort = query->sort.value_or("none"),
                    .tenant = header->tenant};
          });
  // The tenant is not part of the key.
  app.get("/dependent", {.cache = 60'000},
          [](fw::Header<notes::NoteTenant> header) -> notes::NoteTenant { return *header; });

  app.get("/words", {.compression = true}, [](fw::Query<notes::Page> query) -> notes::Words {
    const auto count = static_cast<std::size_t>(query->page.value());
    return {.word = "word", .words = std::vector<std::string>(count, "a repeated word")};
  });

  app.post("/slow", {.timeout = 30},
           [&app](fw::Request& req, fw::Body<notes::NewNote> body) -> fw::Created<notes::NewNote> {
             while (!req.signal().stop_requested()) {
               std::this_thread::sleep_for(std::chrono::milliseconds(1));
             }
             std::this_thread::sleep_for(std::chrono::milliseconds(20));
             app.services().get<notes::LateInput>().set(body->text.value() + "/" +
                                                        body->author.value().name.value());
             return *body;
           });
  app.post("/quick", {.timeout = 60'000},
           [](fw::Body<notes::NewNote> body) -> std::string { return body->text; });

  app.get("/errors/:id", [&app](fw::Param<notes::NoteId> by, fw::Response& res) -> notes::Listed {
    res.set_header("x-set", "before");
    if (by->id == 1) app.raise(410, "gone", "note.gone");
    if (by->id == 2) throw std::runtime_error("broken");
    if (by->id == 3) throw fw::ValidationError({{"id", "is taken"}});
    if (by->id == 5) res.json({{"sent", true}}, 203);
    if (by->id == 6) res.stream(fw::Readable(std::string("streamed")), "text/plain");
    if (by->id == 7) app.raise(404, "note.missing", {{"id", 7}});
    return {.page = by->id, .run = 0, .sort = {}, .tenant = {}};
  });

  app.post("/located", [](fw::Response& res) -> fw::Created<notes::Located> {
    res.set_header("location", "/typed/located/7");
    return notes::Located{7};
  });

  // A value that JSON cannot have.
  app.get("/unwritable/:id", [](fw::Param<notes::NoteId> by) -> fw::Created<notes::Dated> {
    notes::Dated dated;
    if (by->id == 1) dated.language = static_cast<notes::Language>(9);
    if (by->id == 2) dated.day = std::chrono::sys_days(std::chrono::days(9'000'000));
    if (by->id == 3) dated.text = "\xff";
    return dated;
  });
});
