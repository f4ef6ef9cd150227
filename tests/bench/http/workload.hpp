// The responses of every server of the benchmark, so that all do the same work: texts, and the
// order that is checked by hand where the server has no validation of its own.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

/// POST /upload: 1 MiB, which is in memory as a whole before the response with its size.
inline constexpr std::size_t kUpload = 1024 * 1024;
inline nlohmann::json uploaded(std::size_t size) { return {{"size", size}}; }

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

/// An order as structs, for servers that read it without a tree. `String` may be a view.
template <class String>
struct Item {
  String sku;
  String name;
  std::int64_t quantity = 0;
  double price = 0;
};
template <class String>
struct Order {
  String customer;
  String email;
  String currency;
  std::optional<String> note;
  std::vector<Item<String>> items;
};
struct Placed {
  std::int64_t id = 4711;
  std::string status = "open";
  std::int64_t count = 0;
  double total = 0;
};

/// The same checks.
template <class String>
Placed place_order(const Order<String>& order) {
  const auto require = [](bool is_met) {
    if (!is_met) throw std::invalid_argument("order");
  };
  const auto has_length = [](const String& text, std::size_t min, std::size_t max) {
    return text.size() >= min && text.size() <= max;
  };
  require(has_length(order.customer, 1, 80) && has_length(order.email, 3, 254));
  require(order.email.find('@') != String::npos);
  require(order.currency == "EUR" || order.currency == "USD" || order.currency == "GBP");
  require(!order.note || has_length(*order.note, 0, 200));
  Placed placed;
  for (const auto& item : order.items) {
    require(has_length(item.sku, 1, 20) && has_length(item.name, 1, 80));
    require(item.quantity >= 1 && item.quantity <= 1000);
    require(item.price >= 0 && item.price <= 100000);
    placed.count += item.quantity;
    placed.total += static_cast<double>(item.quantity) * item.price;
  }
  return placed;
}

/// GET /articles: about 10 KB of JSON, {"items": [...]}, made for each request. articles.mjs has
/// the same.
inline std::vector<Item<std::string>> articles() {
  static constexpr std::array<std::string_view, 23> kWords = {
      "amber", "birch", "copper", "drawer", "elm",   "frame",  "glass", "handle",
      "iron",  "jug",   "kettle", "lamp",   "maple", "needle", "oak",   "pine",
      "quilt", "rug",   "shelf",  "table",  "urn",   "vase",   "wool"};
  std::vector<Item<std::string>> items;
  for (std::size_t i = 1; i <= 128; ++i) {
    std::string name(kWords[i * 7 % 23]);
    for (const std::size_t at : {i * i % 23, i * 5 % 19, i * i * i % 23}) {
      name += ' ';
      name += kWords[at];
    }
    items.push_back({.sku = "SKU-" + std::to_string(i * 7919),
                     .name = std::move(name),
                     .quantity = static_cast<std::int64_t>(i * i % 97),
                     .price = static_cast<double>(i * i % 89) + 0.25 * static_cast<double>(i % 4)});
  }
  return items;
}

/// Whether /articles is compressed with gzip for a client that accepts it: the case `compressed`.
inline bool compresses() { return std::getenv("BENCH_COMPRESSION") != nullptr; }

/// Paths of PEM files. A server that has them speaks TLS: the case `tls`.
struct Certificate {
  std::string chain;
  std::string key;
};
inline std::optional<Certificate> certificate() {
  const char* chain = std::getenv("BENCH_CERTIFICATE");
  const char* key = std::getenv("BENCH_KEY");
  if (chain == nullptr || key == nullptr) return std::nullopt;
  return Certificate{.chain = chain, .key = key};
}

/// Threads that serve, by BENCH_THREADS.
inline int threads() {
  const char* text = std::getenv("BENCH_THREADS");
  return text != nullptr ? std::atoi(text) : 2;
}

}  // namespace bench
