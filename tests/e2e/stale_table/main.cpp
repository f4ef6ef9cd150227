// An application whose factory registers a route that its table does not have.
#include <fairway/fairway.hpp>

namespace {

const fw::DefaultExport kThings = fw::define_routes([](fw::Router& app) {
  app.get("/added", [](fw::Request&, fw::Response& res) { res.json("never served"); });
});

constexpr fw::RouteFileRow kFile = {
    .file = "src/routes/things.cpp", .prefix = "/things", .definition = &kThings, .routes = {}};

}  // namespace

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.mount(
      {.name = "stale", .files = {&kFile, 1}, .middlewares = {}, .plugins = {}, .openapi = {}});
  return app.listen();
}
