#include <fairway/routes.hpp>

namespace {
constexpr auto kCopies = "the same name as in notes.cpp";
}

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", [](fw::Request&, fw::Response& res) { res.json({{"about", kCopies}}); });
});
