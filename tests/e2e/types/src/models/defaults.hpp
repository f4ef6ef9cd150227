// Defaults of every kind.
#pragma once

#include <fairway/fairway.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "order.hpp"

namespace shop {

struct Paging {
  int size = 20;
  std::string order = "up";
};
struct Preset {
  int most = 1;
  constexpr Preset() : most(5) {}
};
struct Coded {
  int count = 2;
  Coded() { count = 9; }
};
struct Derived : Paging {
  int width = 3;
  Derived() { size = 7; }
};

inline int computed_default() { return std::string("four").size() == 4 ? 4 : 0; }

struct Defaults {
  Coded coded;
  Paging paging = {.size = 50};
  std::array<Paging, 2> pages = {Paging{.size = 1}, Paging{.size = 2}};
  Preset listed{};
  Derived derived{};
  int computed = computed_default();
  int whole = 7 / 2;
  double half = 1 / 2.0;
  Channel channel = static_cast<Channel>(1);
  Channel first{};
  std::vector<int> list = {1, 2};
  std::vector<int> nothing{};
  std::optional<int> maybe = 5;
  std::optional<int> empty{};
  fw::Field<"integer:1-10=3"> field = 7;
  std::chrono::sys_days day{};
};

struct BySize {
  bool operator()(const std::string& one, const std::string& other) const {
    return one.size() < other.size();
  }
};

struct ByAbs {
  bool operator()(int one, int other) const { return std::abs(one) < std::abs(other); }
};

struct ListDefaults {
  std::vector<int> numbers = {1, 2};
  std::vector<int> one{3};
  std::vector<int> repeated = std::vector<int>(2, 7);
  std::vector<int> built = std::vector<int>{7 / 2, 4};
  std::vector<double> halves = {1, 0.5};
  std::vector<bool> flags{true, false};
  std::vector<std::string> words = {"a", "b"};
  std::vector<Channel> channels = {Channel::phone, static_cast<Channel>(0)};
  std::vector<std::vector<int>> nested = {{1}, {}, {2, 3}};
  std::vector<Paging> pages = {{.size = 1}};
  std::vector<int> computed = {computed_default()};
  std::set<int> sorted = {3, 1, 3};
  std::set<std::string> names = {"a", "a"};
  std::set<std::string, BySize> by_size = {"a", "b"};
  std::set<int, ByAbs> by_abs = {1, -1, 2};
  std::map<std::string, int> counts = {{"a", 1}, {"b", 2}, {"a", 3}};
  std::map<std::string, std::vector<std::string>> groups = {{"a", {"x", "y"}}};
  std::map<std::string, std::string> text = {{"a", "b"}};
  std::unordered_map<std::string, Channel> used{{"a", Channel::phone}};
  std::map<std::string, unsigned char> wrapped = {{"a", 300}};
  // Converted by constructors, without a warning.
  std::map<std::string, std::int64_t> signed_values = {{"a", 18446744073709551615u}};
  std::map<std::string, float> floats = {{"a", 0.1}};
  std::optional<std::uint8_t> octet = 300;
  std::optional<std::uint32_t> negative = -1;
  std::optional<std::uint64_t> largest = 18446744073709551615u;
  std::optional<float> tenth = 0.1;
  std::optional<int> cut = 3.7;
  std::optional<bool> truth = 5;
  std::array<int, 3> filled = {1, 2};
  std::array<std::string, 2> strings = {"a"};
  std::array<int, 2> zeros{};
  fw::Items<int, 1, 3> items = {1};
  std::optional<std::vector<int>> maybe = {{1, 2}};
  std::optional<std::vector<int>> some = std::vector<int>{5};
};

}  // namespace shop
