#include "models/dataset.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

namespace arena {
namespace {

std::vector<Item> read_items(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw std::runtime_error("cannot read " + name);
  std::vector<Item> items;
  for (const auto& item : nlohmann::json::parse(file)) {
    const auto& rating = item.at("rating");
    items.push_back({.id = item.at("id"),
                     .name = item.at("name"),
                     .category = item.at("category"),
                     .price = item.at("price"),
                     .quantity = item.at("quantity"),
                     .active = item.at("active"),
                     .tags = item.at("tags"),
                     .rating = {.score = rating.at("score"), .count = rating.at("count")}});
  }
  return items;
}

}  // namespace

std::string data_directory() {
  const char* directory = std::getenv("DATA_DIR");
  return directory != nullptr ? directory : "/data";
}

const std::vector<Item>& dataset() {
  static const std::vector<Item> items = read_items(data_directory() + "/dataset.json");
  return items;
}

}  // namespace arena
