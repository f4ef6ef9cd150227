#include "base/ticks.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace ticks_test {

using fw::base::TickedTime;
using fw::base::TickScale;
using namespace std::chrono_literals;

TEST_CASE("ticks: a count between two times has the time in the same ratio") {
  const TickedTime begin{.time = TickedTime::Time(1h), .ticks = 1'000};
  const TickedTime end{.time = TickedTime::Time(1h + 10us), .ticks = 31'000};
  CHECK(TickScale(begin, end).time_of(1'000) == begin.time);
  CHECK(TickScale(begin, end).time_of(4'000) == begin.time + 1us);
  CHECK(TickScale(begin, end).time_of(16'000) == begin.time + 5us);
  CHECK(TickScale(begin, end).time_of(31'000) == end.time);
}

TEST_CASE("ticks: a count of a processor that counts differently has one of the two times") {
  const TickedTime begin{.time = TickedTime::Time(1h), .ticks = 1'000};
  const TickedTime end{.time = TickedTime::Time(2h), .ticks = 2'000};
  CHECK(TickScale(begin, end).time_of(0) == begin.time);
  CHECK(TickScale(begin, end).time_of(2'001) == end.time);
  const TickedTime earlier{.time = TickedTime::Time(2h), .ticks = 500};
  CHECK(TickScale(begin, earlier).time_of(700) == begin.time);
  CHECK(TickScale(begin, earlier).time_of(1'001) == earlier.time);
}

TEST_CASE("ticks: they count while time passes") {
  const TickedTime begin = TickedTime::now();
  TickedTime end = TickedTime::now();
  while (end.time - begin.time < 1ms) end = TickedTime::now();
  CHECK(end.ticks > begin.ticks);
  const auto middle = TickScale(begin, end).time_of(begin.ticks + (end.ticks - begin.ticks) / 2);
  CHECK(middle > begin.time);
  CHECK(middle < end.time);
}

}  // namespace ticks_test
