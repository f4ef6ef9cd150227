// The guest book: a page, and a form that works without JavaScript. After a form, the browser is
// redirected, so that reloading the page sends nothing again.
#include <fairway/fairway.hpp>

#include <utility>

#include "index.routes.hpp"
#include "services/guest_book.hpp"

namespace {

struct GuestBookPage {
  std::vector<Entry> entries;
  std::string csrf;
  FW_JSON(GuestBookPage, entries, csrf)
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              .docs = {.hidden = true},
              .frontend = {.data = {{"entries",
                                     fw::array_of({{"author", "string"}, {"message", "string"}})},
                                    {"csrf", "string"}},
                           .hydration = "none",
                           .seo = {{"title", "Guest book"}}},
          },
          [&app](fw::Request& req, fw::Response& res) {
            res.render("index", GuestBookPage{.entries = app.services().get<GuestBook>().entries(),
                                              .csrf = req.csrf_token()});
          });

  app.post("/entries",
           {
               .validate = {.body = {{"author", "string:1-50"}, {"message", "string:1-500"}}},
               .docs = {.operation_id = "signGuestBook", .hidden = true},
           },
           [&app](fw::Request& req, fw::Response& res) {
             auto body = req.valid<routes::index::SignGuestBook::Body>();
             app.services().get<GuestBook>().sign(
                 {.author = std::move(body.author), .message = std::move(body.message)});
             res.redirect("/");
           });
});
