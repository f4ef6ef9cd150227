#include "services/stock.hpp"

#include "shared/products.hpp"

namespace {

constexpr int kAtFirst = 20;
constexpr int kScarce = 5;

/// "12.50 €"
std::string price(int cents) {
  const std::string fraction = std::to_string(cents % 100);
  return std::to_string(cents / 100) + "." + (fraction.size() == 1 ? "0" : "") + fraction + " €";
}

}  // namespace

Stock::Stock() {
  for (const fw::Json& product : shop::kProducts) left_[product["id"]] = kAtFirst;
}

fw::Json Stock::list() const {
  const std::lock_guard lock(mutex_);
  fw::Json products = shop::kProducts;
  for (fw::Json& product : products) {
    const int left = left_.at(product["id"].get<std::string>());
    product["left"] = left;
    product["isScarce"] = left <= kScarce;
  }
  return products;
}

const fw::Json* Stock::find(std::string_view id) const {
  for (const fw::Json& product : shop::kProducts) {
    if (product["id"] == id) return &product;
  }
  return nullptr;
}

fw::Json Stock::cart(const fw::Json& quantities) const {
  fw::Json lines = fw::Json::array();
  int total = 0;
  for (const auto& [id, quantity] : quantities.items()) {
    const fw::Json* const product = find(id);
    if (product == nullptr) continue;
    const int cents = (*product)["cents"].get<int>() * quantity.get<int>();
    total += cents;
    fw::Json line = *product;
    line["quantity"] = quantity;
    line["sum"] = price(cents);
    lines.push_back(std::move(line));
  }
  const bool has_lines = !lines.empty();
  return {{"lines", std::move(lines)}, {"hasLines", has_lines}, {"total", price(total)}};
}

std::optional<std::string> Stock::order(const fw::Json& quantities) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, quantity] : quantities.items()) {
    if (left_.at(id) < quantity.get<int>()) return (*find(id))["name"].get<std::string>();
  }
  for (const auto& [id, quantity] : quantities.items()) left_.at(id) -= quantity.get<int>();
  return std::nullopt;
}
