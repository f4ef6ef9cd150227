// Models as C++ types: docs/types.md.
#pragma once

#include <fairway/fairway.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace shop {

using Id = fw::Field<"integer:1-">;

struct Item {
  Id product_id;
  fw::Field<"integer:1-100"> quantity;
};

/// How the order came in.
enum class Channel { web, phone };

struct Card {
  fw::Literal<"card"> kind;
  fw::Field<"string:4-19"> number;
};
struct Transfer {
  fw::Literal<"transfer"> kind;
  std::string iban;
};

/// What a customer sends to place an order.
struct NewOrder {
  Id customer_id;
  fw::Items<Item, 1, 50> items;
  std::optional<fw::Field<"string:1-200">> note;  ///< Shown to the driver.
  Channel channel = Channel::web;
  std::variant<Card, Transfer> payment;
  std::map<std::string, std::string> labels = {};
};

struct Order : NewOrder {
  Id id = 1;
  std::string state = "new";
};

/// One member for each type that has a form in JSON.
struct Everything {
  bool boolean;
  std::int8_t tiny;
  std::uint16_t small;
  std::int32_t medium;
  std::int64_t large;
  float single;
  double number;
  std::string text;
  fw::Field<"email"> email;
  fw::Field<"enum:low,high"> level;
  fw::Field<"array<string>:1-3"> words;
  std::array<int, 3> triple;
  std::set<std::string> tags;
  std::unordered_map<std::string, std::int64_t> counts;
  std::variant<std::string, std::int64_t, std::vector<bool>> loose;
  std::chrono::sys_days day;
  std::chrono::sys_seconds time;
  fw::Json any;
  std::optional<Item> item;
  std::unique_ptr<Item> boxed;
  [[deprecated]] int old = 7;
};

/// A type that contains itself.
struct Folder {
  std::string name;
  std::vector<Folder> folders = {};
};

template <class T>
struct Page {
  std::vector<T> data;
  std::int64_t total = 0;
};

struct Renamed {
  std::string first_name;
  int ignored = 0;
  FW_JSON(Renamed, (first_name, "firstName"))
};

}  // namespace shop
