#include <fairway/fairway.hpp>

#include <vector>

namespace {
std::vector<int> items() { return {1, 2}; }
}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", [](fw::Request&, fw::Response& res) { res.json(items()); });
});
