// How products and prices are shown.
#pragma once

#include <cstdint>
#include <string>

#include "shared/products.hpp"

namespace shop {

/// "12.50 €"
inline std::string price(std::int64_t cents) {
  const std::string fraction = std::to_string(cents % 100);
  return std::to_string(cents / 100) + "." + (fraction.size() == 1 ? "0" : "") + fraction + " €";
}

/// The page of a product. One that the API has got since the release has no page of its own.
inline std::string page_of(std::int64_t id) {
  for (const fw::Json& product : kProducts) {
    if (product["id"] == std::to_string(id)) return "/products/" + std::to_string(id);
  }
  return "/cart/add/" + std::to_string(id);
}

}  // namespace shop
