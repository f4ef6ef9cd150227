#include "services/product_store.hpp"

#include "services/enum_text.hpp"

namespace {

constexpr EnumTexts<3> kCategories = {"books", "games", "tools"};

Product read(const Statement& row) {
  return {{.id = row.integer(0)},
          {.name = row.text(1),
           .category = value_of<Category>(kCategories, row.text(2)),
           .price_cents = row.integer(3),
           .description = row.optional_text(4)}};
}

}  // namespace

std::vector<Product> ProductStore::list(const ProductFilter& filter) {
  std::optional<std::string> category;
  if (filter.category) category = text_of(kCategories, *filter.category);
  const auto lock = database_.lock();
  Statement rows = database_.prepare(
      "SELECT id, name, category, price_cents, description FROM products "
      "WHERE (?1 IS NULL OR category = ?1) AND (?2 < 0 OR price_cents <= ?2) ORDER BY id LIMIT ?3");
  const std::int64_t max_price_cents =
      filter.max_price_cents ? filter.max_price_cents->value() : -1;
  rows.bind(category).bind(max_price_cents).bind(filter.limit);
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

Product ProductStore::create(const NewProduct& product) {
  const auto lock = database_.lock();
  database_
      .prepare(
          "INSERT INTO products (name, category, price_cents, description) VALUES (?, ?, ?, ?)")
      .bind(product.name.value())
      .bind(text_of(kCategories, product.category))
      .bind(product.price_cents)
      .bind(product.description)
      .step();
  return {{.id = database_.last_insert_id()}, product};
}

std::optional<Product> ProductStore::update(std::int64_t id, const NewProduct& product) {
  const auto lock = database_.lock();
  database_
      .prepare(
          "UPDATE products SET name = ?, category = ?, price_cents = ?, description = ? "
          "WHERE id = ?")
      .bind(product.name.value())
      .bind(text_of(kCategories, product.category))
      .bind(product.price_cents)
      .bind(product.description)
      .bind(id)
      .step();
  if (database_.changes() == 0) return std::nullopt;
  return Product{{.id = id}, product};
}

bool ProductStore::remove(std::int64_t id) {
  const auto lock = database_.lock();
  database_.prepare("DELETE FROM products WHERE id = ?").bind(id).step();
  return database_.changes() > 0;
}
