#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "database/database.hpp"
#include "models/product.hpp"

/// Marks cached responses that contain products.
inline constexpr auto kProductsTag = "products";

/// Thread-safe.
class ProductStore {
 public:
  explicit ProductStore(Database& database) : database_(database) {}

  std::vector<Product> list(const ProductFilter& filter);
  std::optional<Product> find(std::int64_t id);
  Product create(const NewProduct& product);
  /// Nothing when there is no product of that id.
  std::optional<Product> update(std::int64_t id, const NewProduct& product);
  bool remove(std::int64_t id);

 private:
  Database& database_;
};
