// Types of an application, with the code that the route compiler generates for them.
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

#include "support/table_builder.hpp"

namespace shop {

using Id = fw::Field<"integer:1-">;

struct Item {
  Id product_id;
  fw::Field<"integer:1-100=1"> quantity;
  bool operator==(const Item&) const = default;
};

enum class Channel { web, phone = 7 };

struct Card {
  fw::Literal<"card"> kind;
  std::string number;
  bool operator==(const Card&) const = default;
};

struct Transfer {
  fw::Literal<"transfer"> kind;
  fw::Field<"string:1-34"> iban;
  bool operator==(const Transfer&) const = default;
};

struct NewOrder {
  Id customer_id;
  fw::Items<Item, 1, 50> items;
  std::optional<fw::Field<"string:1-200">> note;
  Channel channel = Channel::web;
  std::variant<Card, Transfer> payment;
  std::map<std::string, std::string> labels;
  bool operator==(const NewOrder&) const = default;
};

/// An expression that contains itself, in three ways.
struct Sum;
struct Number {
  fw::Literal<"number"> kind;
  double value = 0;
  bool operator==(const Number&) const = default;
};
struct Sum {
  fw::Literal<"sum"> kind;
  std::vector<std::variant<Number, Sum>> terms;
  bool operator==(const Sum&) const = default;
};
struct Tree {
  std::string name;
  std::vector<Tree> children;
  std::unique_ptr<Tree> other;
};

/// A member for each row of the table of types.
struct Everything {
  bool flag = false;
  std::int8_t tiny = 0;
  std::uint8_t byte = 0;
  std::int16_t small = 0;
  std::uint16_t port = 0;
  std::int32_t medium = 0;
  std::uint32_t count = 0;
  std::int64_t large = 0;
  std::uint64_t size = 0;
  float ratio = 0;
  double price = 0;
  std::string name;
  fw::Field<"integer:1-5"> stars = 1;
  fw::Field<"number:-0.5-0.5"> offset;
  fw::Field<"boolean"> active;
  fw::Field<"string:/^[a-z]+$/"> slug = "a";
  fw::Field<"email"> email = "a@example.com";
  fw::Field<"uuid"> uuid = "550e8400-e29b-41d4-a716-446655440000";
  fw::Field<"enum:red, green"> color = "red";
  fw::Field<"array<integer:0-9>:-3"> digits;
  fw::Literal<"v1"> version;
  Channel channel = Channel::web;
  std::optional<std::int32_t> maybe;
  std::unique_ptr<Item> owned;
  std::vector<bool> flags;
  std::array<double, 2> position = {};
  std::set<std::string> tags;
  std::unordered_set<std::int64_t> ids;
  fw::Items<std::string, 0, 2> lines;
  std::unordered_map<std::string, Item> by_name;
  std::variant<std::int64_t, std::string, Item> choice;
  std::chrono::sys_days day;
  std::chrono::sys_seconds at;
  std::chrono::sys_time<std::chrono::microseconds> exactly;
  fw::Json anything;
};

struct ById {
  Id id;
};

struct Filter {
  std::optional<Channel> channel;
  std::uint8_t page = 1;
  std::optional<std::chrono::sys_days> since;
};

struct Headers {
  std::string x_tenant;
};

struct Order {
  Id id;
  std::vector<Item> items;
  std::optional<std::string> note;
};

struct Conflict {
  std::string reason;
};

/// Those with code.
std::vector<const fw::detail::TypeRow*> rows();
/// One of them.
const fw::detail::TypeRow& row(const std::type_info& type);

}  // namespace shop
