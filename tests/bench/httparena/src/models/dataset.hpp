// The items that GET /json/:count sends, read once from the file of the benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace arena {

struct Rating {
  std::int64_t score;
  std::int64_t count;
};

struct Item {
  std::int64_t id;
  std::string name;
  std::string category;
  std::int64_t price;
  std::int64_t quantity;
  bool active;
  std::vector<std::string> tags;
  Rating rating;
};

/// An item with its price times its quantity times the multiplier of the request.
struct PricedItem : Item {
  std::int64_t total;
};

struct Page {
  std::vector<PricedItem> items;
  std::int64_t count;
};

/// The directory of the benchmark's files: /data, unless DATA_DIR names another.
std::string data_directory();

/// The items of dataset.json. Throws if the file is missing or has another form.
const std::vector<Item>& dataset();

}  // namespace arena
