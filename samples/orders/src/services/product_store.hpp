#pragma once

#include <fairway/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/database.hpp"

struct Product {
  std::int64_t id = 0;
  std::string name;
  std::string category;
  std::int64_t price_cents = 0;
  std::optional<std::string> description;
};
void to_json(fw::Json& json, const Product& product);

/// Marks cached responses that contain products.
inline constexpr auto kProductsTag = "products";

struct ProductFilter {
  std::optional<std::string> category;
  std::optional<std::int64_t> max_price_cents;
  std::int64_t limit = 20;
};

/// Thread-safe.
class ProductStore {
 public:
  explicit ProductStore(Database& database) : database_(database) {}

  std::vector<Product> list(const ProductFilter& filter);
  std::optional<Product> find(std::int64_t id);
  Product create(Product product);
  /// False when there is no product of that id.
  bool update(const Product& product);
  bool remove(std::int64_t id);

 private:
  Database& database_;
};
