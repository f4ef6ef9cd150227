// Values for json_forms.inc and call_forms.inc.
#pragma once

#include <fairway/field.hpp>
#include <fairway/items.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_members.hpp>
#include <fairway/literal.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace light_routes {

struct Point {
  std::int64_t x = 1;
  std::optional<double> y;
  FW_JSON(Point, x, (y, "Y"))
};

struct Shape {
  std::string name = "line";
  std::vector<Point> points = {{.x = 1, .y = 2.5}, {.x = -3, .y = std::nullopt}};
  FW_JSON(Shape, name, points)
};

enum class Level { low, high };
enum class Flags : std::uint8_t { none, all = 255 };

/// Has conversions of its own, as generated types do.
struct Money {
  std::int64_t cents = 0;
  friend void to_json(fw::Json& json, const Money& money);
};
/// FW_JSON takes precedence.
struct Both {
  int x = 1;
  FW_JSON(Both, x)
  friend void to_json(fw::Json& json, const Both& both);
};
enum class Unit { metre, mile };
void to_json(fw::Json& json, Unit unit);

/// What the forms refer to.
struct Values {
  std::string text = "a";
  const char* pointer = "a";
  std::vector<int> numbers = {1, 2};
  std::vector<std::string> texts = {"a", "b"};
  std::vector<bool> bits = {true, false};
  std::array<double, 2> pair = {0.5, 1};
  std::list<std::int64_t> list = {1};
  std::set<std::string> names = {"b", "a"};
  std::map<std::string, int> counts = {{"b", 2}, {"a", 1}};
  std::unordered_map<std::string, bool> one = {{"a", true}};
  std::map<std::string, std::vector<int>> lists = {{"a", {1, 2}}};
  std::vector<std::map<std::string, std::string>> maps = {{{"a", "b"}}, {}};
  std::vector<int> no_numbers = {};
  std::map<std::string, int> no_counts = {};
};

/// `{"a": 1}`
const fw::Json& tree();

}  // namespace light_routes
