#pragma once

#include <fairway/fairway.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

/// How many of each product there are, and what a visitor has put into the cart. Thread-safe.
class Stock {
 public:
  Stock();

  /// The products for the list, with `left` and `isScarce`.
  fw::Json list() const;
  /// Null for an id that no product has.
  const fw::Json* find(std::string_view id) const;
  /// The lines of a cart, which is an object of quantities by product, and its total.
  fw::Json cart(const fw::Json& quantities) const;
  /// Takes the products of a cart. Returns the name of the first one that there are too few of.
  std::optional<std::string> order(const fw::Json& quantities);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int, std::less<>> left_;
};
