#if FAIRWAY_EPOLL
#include "http/epoll/sweep_state.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

namespace sweep_state_test {

using fw::http::Deadline;
using fw::http::TransferMeter;

TEST_CASE("deadline: an expiry is detected once, also after the next set") {
  Deadline deadline;
  CHECK_FALSE(deadline.detect_expiry(5'000));
  deadline.set(1'000);
  CHECK_FALSE(deadline.detect_expiry(999));
  CHECK_FALSE(deadline.take_expiry());
  CHECK(deadline.detect_expiry(1'000));
  CHECK_FALSE(deadline.detect_expiry(1'250));
  CHECK(deadline.take_expiry());
  deadline.set(2'000);
  CHECK_FALSE(deadline.take_expiry());
  CHECK(deadline.detect_expiry(2'000));
  deadline.clear();
  CHECK_FALSE(deadline.take_expiry());
  CHECK_FALSE(deadline.detect_expiry(3'000));
}

TEST_CASE("transfer meter: the rate is read after a second, with enough bytes waiting") {
  TransferMeter meter;
  CHECK_FALSE(meter.read(5'000));
  meter.note(20'000, 1'000, 8'000);
  CHECK_FALSE(meter.read(1'999));
  REQUIRE(meter.read(5'000));
  CHECK(meter.read(5'000)->waiting == 20'000);
  CHECK(meter.read(5'000)->rate == 2.0);
  meter.note(16'000, 1'000, 8'000);
  CHECK_FALSE(meter.read(5'000));
  meter.note(20'000, 1'000, 8'000);
  meter.clear();
  CHECK_FALSE(meter.read(5'000));
}

TEST_CASE("transfer meter: a sweep between two transfers sees the data of one of them") {
  constexpr std::int64_t kNow = 100'000;
  TransferMeter meter;
  std::atomic<bool> is_over{false};
  std::thread owner([&] {
    for (std::int64_t since = 0; !is_over; since = (since + 1) % 10'000) {
      meter.note(20'000, since, 100'000'000);  // a fast one
      meter.clear();
      meter.note(20'000, kNow - 1, 1);  // one that has just begun
      meter.clear();
    }
  });
  double slowest = 1'000;
  for (int count = 0; count < 100'000;) {
    const auto reading = meter.read(kNow);
    if (!reading) continue;
    ++count;
    slowest = std::min(slowest, reading->rate);
  }
  is_over = true;
  owner.join();
  CHECK(slowest == 1'000);
}

}  // namespace sweep_state_test
#endif
