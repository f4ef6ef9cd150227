// The responses of every server of the benchmark, so that all do the same work: texts, and the
// order that is checked by hand where the server has no validation of its own.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace bench {

/// GET /hello.
inline nlohmann::json hello() {
  return {{"message", "Hello, World!"}, {"version", 1}, {"ok", true}};
}

/// GET /users/ID.
inline nlohmann::json user(const std::string& id) {
  return {{"id", id}, {"name", "Ada Lovelace"}, {"active", true}};
}

/// GET /file: 64 KiB.
inline const std::string& file() {
  static const std::string text(64 * 1024, 'x');
  return text;
}

/// GET /stream: pieces of 16 KiB, 256 KiB in all, without a known length.
inline constexpr std::size_t kPiece = 16 * 1024;
inline constexpr std::size_t kPieces = 16;

/// POST /orders: the checks that Fairway's and Fastify's schemas declare. Throws for an order that
/// is not as it should be.
inline nlohmann::json place_order(const nlohmann::json& order) {
  const auto text = [](const nlohmann::json& value, std::size_t min, std::size_t max) {
    const auto& string = value.get_ref<const std::string&>();
    if (string.size() < min || string.size() > max) throw std::invalid_argument("length");
    return std::string_view(string);
  };
  text(order.at("customer"), 1, 80);
  if (text(order.at("email"), 3, 254).find('@') == std::string_view::npos) {
    throw std::invalid_argument("email");
  }
  const auto currency = text(order.at("currency"), 3, 3);
  if (currency != "EUR" && currency != "USD" && currency != "GBP") {
    throw std::invalid_argument("currency");
  }
  if (order.contains("note")) text(order["note"], 0, 200);
  const auto& items = order.at("items");
  if (!items.is_array()) throw std::invalid_argument("items");
  double total = 0;
  std::int64_t count = 0;
  for (const auto& item : items) {
    text(item.at("sku"), 1, 20);
    text(item.at("name"), 1, 80);
    const auto quantity = item.at("quantity").get<std::int64_t>();
    const auto price = item.at("price").get<double>();
    if (quantity < 1 || quantity > 1000 || price < 0 || price > 100000) {
      throw std::invalid_argument("range");
    }
    count += quantity;
    total += static_cast<double>(quantity) * price;
  }
  return {{"id", 4711}, {"status", "open"}, {"count", count}, {"total", total}};
}

/// Threads that serve, by BENCH_THREADS.
inline int threads() {
  const char* text = std::getenv("BENCH_THREADS");
  return text != nullptr ? std::atoi(text) : 2;
}

}  // namespace bench
