#include "exchange/end_reports.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <vector>

using fw::detail::EndReports;

TEST_CASE("end reports: run once, in the order in which they were added") {
  std::vector<int> called;
  EndReports<int> reports;
  for (int i = 0; i < 3; ++i) {
    reports.add([&called, number = std::make_unique<int>(i)](int end) {
      called.push_back(*number + end);
      if (*number == 1) throw std::runtime_error("the others must run, too");
    });
  }
  EndReports<int> swapped;
  swapped.swap(reports);
  reports(100);
  CHECK(called.empty());
  swapped(10);
  CHECK(called == std::vector{10, 11, 12});
  swapped(10);
  CHECK(called.size() == 3);
}

// A client of a socket can make a handler add one for each of its messages.
TEST_CASE("end reports: a million need neither quadratic time nor a deep stack") {
  constexpr int kMany = 1'000'000;
  int called = 0;
  EndReports<int> reports;
  EndReports<int> unused;
  for (int i = 0; i < kMany; ++i) {
    reports.add([&called](int) { ++called; });
    unused.add([&called](int) { ++called; });
  }
  reports(0);
  CHECK(called == kMany);
}
