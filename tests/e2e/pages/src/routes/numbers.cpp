// A page with a script and a style sheet, by the options that change what a browser gets of it.
#include <fairway/fairway.hpp>

#include <atomic>
#include <chrono>

namespace {

std::atomic<int> renderings = 0;

fw::Json next() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {{"n", ++renderings},
          {"at", std::chrono::duration_cast<std::chrono::milliseconds>(now).count()}};
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto number = [](fw::Request&, fw::Response& res) {
    res.render("numbers", {{"n", 1}, {"secret", "not declared"}},
               {.seo = {{"title", "Title of the call"}, {"robots", "noindex"}}});
  };

  app.get("/",
          {.docs = {.hidden = true},
           .frontend = {.data = {{"n", "integer"}},
                        .seo = {{"title", "Title of the route"},
                                {"description", "Description of the route"},
                                {"lang", "en"}}}},
          number);

  app.get("/plain", {.docs = {.hidden = true}, .frontend = {.hydration = "none"}}, number);

  app.get("/renewed",
          {.docs = {.hidden = true}, .frontend = {.mode = "revalidate", .revalidate = 1}},
          [](fw::Request&, fw::Response& res) { res.render("numbers", next()); });

  app.get("/kept",
          {.docs = {.hidden = true}, .frontend = {.mode = "revalidate", .revalidate = 86400}},
          [](fw::Request&, fw::Response& res) { res.render("numbers", next()); });

  app.get("/fixed/:n",
          {.docs = {.hidden = true},
           .frontend = {.page = "fixed",
                        .mode = "static",
                        .static_params = fw::Json::array({{{"n", 1}}, {{"n", 2}}})}},
          [](fw::Request&, fw::Response&) {});
});
