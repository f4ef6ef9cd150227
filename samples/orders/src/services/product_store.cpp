#include "services/product_store.hpp"

namespace {

Product read(const Statement& row) {
  return {.id = row.integer(0),
          .name = row.text(1),
          .category = row.text(2),
          .price_cents = row.integer(3),
          .description = row.optional_text(4)};
}

}  // namespace

void to_json(fw::Json& json, const Product& product) {
  json = {{"id", product.id},
          {"name", product.name},
          {"category", product.category},
          {"priceCents", product.price_cents}};
  if (product.description) json["description"] = *product.description;
}

std::vector<Product> ProductStore::list(const ProductFilter& filter) {
  const auto lock = database_.lock();
  Statement rows = database_.prepare(
      "SELECT id, name, category, price_cents, description FROM products "
      "WHERE (?1 IS NULL OR category = ?1) AND (?2 < 0 OR price_cents <= ?2) ORDER BY id LIMIT ?3");
  rows.bind(filter.category).bind(filter.max_price_cents.value_or(-1)).bind(filter.limit);
  std::vector<Product> products;
  while (rows.step()) products.push_back(read(rows));
  return products;
}

std::optional<Product> ProductStore::find(std::int64_t id) {
  const auto lock = database_.lock();
  Statement rows = database_.prepare(
      "SELECT id, name, category, price_cents, description FROM products WHERE id = ?");
  rows.bind(id);
  if (!rows.step()) return std::nullopt;
  return read(rows);
}

Product ProductStore::create(Product product) {
  const auto lock = database_.lock();
  database_
      .prepare(
          "INSERT INTO products (name, category, price_cents, description) VALUES (?, ?, ?, ?)")
      .bind(product.name)
      .bind(product.category)
      .bind(product.price_cents)
      .bind(product.description)
      .step();
  product.id = database_.last_insert_id();
  return product;
}

bool ProductStore::update(const Product& product) {
  const auto lock = database_.lock();
  database_
      .prepare(
          "UPDATE products SET name = ?, category = ?, price_cents = ?, description = ? "
          "WHERE id = ?")
      .bind(product.name)
      .bind(product.category)
      .bind(product.price_cents)
      .bind(product.description)
      .bind(product.id)
      .step();
  return database_.changes() > 0;
}

bool ProductStore::remove(std::int64_t id) {
  const auto lock = database_.lock();
  database_.prepare("DELETE FROM products WHERE id = ?").bind(id).step();
  return database_.changes() > 0;
}
