// The guest book: a page, and a form that works without JavaScript. After a form, the browser is
// redirected, so that reloading the page sends nothing again.
#include <fairway/routes.hpp>

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

  app.post("/entries", {.docs = {.operation_id = "signGuestBook", .hidden = true}},
           [&app](fw::Body<Entry> entry, fw::Response& res) {
             app.services().get<GuestBook>().sign(*entry);
             res.redirect("/");
           });
});
