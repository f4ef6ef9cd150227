#include <fairway/fairway.hpp>

#include "same-name-types.routes.hpp"

namespace shop {
struct Item {
  std::int64_t id;
};
}  // namespace shop
namespace billing {
struct Item {
  std::string text;
};
}  // namespace billing

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", [](fw::Body<shop::Item>) -> billing::Item { return {.text = "ordered"}; });
});
