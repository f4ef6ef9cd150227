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
#include <unordered_set>
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

/// A base, whose members come first.
struct Base {
  std::int64_t base_id;
  std::string base_name = "base";
};

/// Names of its own, with members of types that only generated code writes.
struct Renamed {
  std::string first_name;
  Channel channel = Channel::web;
  std::optional<Item> item = {};
  std::variant<std::string, std::int64_t> either = std::int64_t{0};
  int ignored = 0;
  FW_JSON(Renamed, (first_name, "firstName"), channel, item, (either, "one \"of\" two"))
};

/// What FW_JSON of a base names, has that name in a struct with that base.
struct Heir : Renamed {
  int age = 7;
};

/// One member for each type that has a form in JSON: the table of docs/types.md.
struct Everything : Base {
  bool boolean;
  std::int8_t tiny;
  std::uint8_t byte;
  std::int16_t short_one;
  std::uint16_t small;
  std::int32_t medium;
  std::uint32_t count;
  std::int64_t large;
  std::uint64_t size;
  float single;
  double number;
  std::string text;
  fw::Field<"email"> email;
  fw::Field<"enum:low,high"> level;
  fw::Field<"array<string>:1-3"> words;
  fw::Field<"string:/^[a-z]+$/"> pattern;
  fw::Literal<"exactly \"this\""> exactly;
  Channel channel;
  fw::Items<Item, 1, 2> items;
  std::vector<double> numbers;
  std::array<int, 3> triple;
  std::set<std::string> tags;
  std::unordered_set<std::int64_t> ids;
  std::map<std::string, Item> by_name;
  std::unordered_map<std::string, std::int64_t> counts;
  std::variant<std::string, std::int64_t, std::vector<bool>> loose;
  std::variant<Card, Transfer> payment;
  std::chrono::sys_days day;
  std::chrono::sys_seconds time;
  std::chrono::sys_time<std::chrono::milliseconds> precise;
  fw::Json any;
  std::optional<Item> item;
  std::optional<std::string> absent;
  std::unique_ptr<Item> boxed;
  Renamed renamed;
  Heir heir;
  [[deprecated]] int old = 7;
};

struct Sizes {
  std::uint64_t least;
  std::optional<std::uint64_t> most = {};
  std::variant<std::string, std::uint64_t> either = std::uint64_t{0};
  fw::Items<std::variant<Card, Transfer>, 0, 1> payments = {};
};

struct SizeQuery {
  std::uint64_t least;
  std::unique_ptr<std::uint64_t> most;
};

/// Numbers that JSON may not have.
struct Reading {
  double value = 0;
  std::vector<float> list = {};
  std::optional<double> maybe = {};
  Channel channel = Channel::web;
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

}  // namespace shop
