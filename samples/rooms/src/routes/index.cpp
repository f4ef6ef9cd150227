// The page, and what it loads.
#include <fairway/fairway.hpp>

#include <string>
#include <string_view>

namespace {

std::string_view media_type(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/html; charset=utf-8";
}

void send_file(const fw::Router& app, fw::Response& res, std::string_view name) {
  auto file = fw::file_below(app.config().app.value("public", "public"), name);
  if (!file) app.raise(404, "Not Found");
  res.stream(std::move(*file), media_type(name));
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.docs = {.hidden = true}},
          [&app](fw::Request&, fw::Response& res) { send_file(app, res, "index.html"); });

  app.get("/assets/*", {.docs = {.hidden = true}}, [&app](fw::Request& req, fw::Response& res) {
    send_file(app, res, req.param("*").value_or(""));
  });
});
