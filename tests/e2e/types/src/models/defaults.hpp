// Defaults of every kind.
#pragma once

#include <fairway/fairway.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string>
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

}  // namespace shop
