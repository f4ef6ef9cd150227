#include "features/pages/background_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace background_pool_test {

using fw::detail::BackgroundPool;

namespace {

/// A lane whose threads are occupied: one until `open`, the others until the end.
class OccupiedLane {
 public:
  OccupiedLane() {
    for (std::size_t i = 0; i < BackgroundPool::kMaxOfLane; ++i) {
      pool_->post(lane_, "occupied", [this, &end = i == 0 ? opened_ : ended_] {
        begun_.count_down();
        end.wait();
      });
    }
    begun_.wait();
  }

  void want(const std::string& key) { pool_->want(lane_, key); }
  /// While all threads are occupied, none of them reads the clock.
  void advance(std::chrono::seconds time) { now_ += time; }
  void post(const std::string& key) {
    pool_->post(lane_, key, [this, key, exists = exists_] { order_.push_back(key); });
  }
  /// Lets all tasks run, one after the other, and returns their order.
  std::vector<std::string> open() {
    exists_.reset();
    opened_.count_down();
    are_gone_.get_future().wait();
    ended_.count_down();
    pool_.reset();
    return order_;
  }

 private:
  std::latch begun_{BackgroundPool::kMaxOfLane};
  std::latch opened_{1};
  std::latch ended_{1};
  std::promise<void> are_gone_;
  /// Ends with the last task, whatever becomes of it.
  std::shared_ptr<void> exists_{this, [this](void*) { are_gone_.set_value(); }};
  std::vector<std::string> order_;
  BackgroundPool::Clock::time_point now_;
  BackgroundPool::Lane lane_;
  std::unique_ptr<BackgroundPool> pool_ = std::make_unique<BackgroundPool>([this] { return now_; });
};

std::ptrdiff_t place_of(const std::vector<std::string>& order, const std::string& key) {
  return std::ranges::find(order, key) - order.begin();
}

}  // namespace

TEST_CASE("background pool: the most requested key runs before an earlier flood") {
  OccupiedLane lane;
  for (int i = 0; i < 200; ++i) {
    lane.want(std::to_string(i));
    lane.post(std::to_string(i));
  }
  lane.want("page");
  lane.post("page");
  for (int i = 0; i < 10; ++i) lane.want("page");
  const auto order = lane.open();
  CHECK(order.size() == 201);
  CHECK(place_of(order, "page") == 0);
  CHECK(place_of(order, "0") < place_of(order, "150"));
}

TEST_CASE("background pool: a flood does not keep the most requested key out of the queue") {
  OccupiedLane lane;
  const int flood = static_cast<int>(BackgroundPool::kMaxWaiting) + 50;
  for (int i = 0; i < flood; ++i) {
    lane.want(std::to_string(i));
    lane.post(std::to_string(i));
  }
  for (int i = 0; i < 10; ++i) lane.want("page");
  lane.post("page");
  for (int i = 0; i < flood; ++i) {
    lane.want("late " + std::to_string(i));
    lane.post("late " + std::to_string(i));
  }
  const auto order = lane.open();
  CHECK(order.size() == BackgroundPool::kMaxWaiting);
  CHECK(place_of(order, "page") == 0);
}

TEST_CASE("background pool: a task runs before those that are wanted more but wait less") {
  OccupiedLane lane;
  lane.want("page");
  lane.post("page");
  lane.advance(std::chrono::seconds(10));
  for (int i = 0; i < 100; ++i) {
    lane.want(std::to_string(i));
    lane.want(std::to_string(i));
    lane.post(std::to_string(i));
  }
  lane.advance(std::chrono::seconds(2));
  CHECK(place_of(lane.open(), "page") == 0);
}

TEST_CASE(
    "background pool: a task that has waited long runs after those that are wanted far more") {
  OccupiedLane lane;
  for (int i = 0; i < 100; ++i) {
    lane.want(std::to_string(i));
    lane.post(std::to_string(i));
  }
  lane.advance(std::chrono::seconds(10));
  for (int i = 0; i < 20; ++i) lane.want("page");
  lane.post("page");
  CHECK(place_of(lane.open(), "page") == 0);
}

TEST_CASE("background pool: slow tasks of a lane delay no other lane") {
  BackgroundPool::Lane slow;
  BackgroundPool::Lane other;
  std::atomic<std::size_t> begun = 0;
  std::latch ended{1};
  std::promise<void> has_run;
  bool is_in_time = false;
  {
    BackgroundPool pool;
    for (std::size_t i = 0; i < 2 * BackgroundPool::kMaxThreads; ++i) {
      pool.post(slow, std::to_string(i), [&] {
        ++begun;
        ended.wait();
      });
    }
    // Time in which too many would begin.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    pool.post(other, "page", [&] { has_run.set_value(); });
    is_in_time =
        has_run.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    CHECK(begun.load() <= BackgroundPool::kMaxOfLane);
    ended.count_down();
  }
  CHECK(is_in_time);
}

TEST_CASE("background pool: many keys requested once do not evict the count of another one") {
  OccupiedLane lane;
  lane.post("page");
  for (int i = 0; i < 10; ++i) lane.want("page");
  for (int i = 0; i < 10'000; ++i) lane.want(std::to_string(i));
  lane.post("9999");
  CHECK(place_of(lane.open(), "page") == 0);
}

TEST_CASE("background pool: a stop destroys waiting tasks and waits for running ones") {
  BackgroundPool::Lane lane;
  BackgroundPool pool;
  std::latch begun{BackgroundPool::kMaxOfLane};
  std::latch ended{1};
  std::atomic<int> others = 0;
  for (std::size_t i = 0; i < BackgroundPool::kMaxOfLane; ++i) {
    pool.post(lane, "running", [&] {
      begun.count_down();
      ended.wait();
    });
  }
  begun.wait();
  auto exists = std::make_shared<int>();
  const std::weak_ptr<int> waiting = exists;
  pool.post(lane, "waiting", [&, kept = std::move(exists)] { ++others; });
  pool.stop();
  CHECK(waiting.expired());
  pool.post(lane, "late", [&] { ++others; });
  const auto soon = BackgroundPool::Clock::now() + std::chrono::milliseconds(10);
  CHECK(!pool.wait_until(soon));
  CHECK(!pool.cancellation().stop_requested());
  pool.cancel();
  CHECK(pool.cancellation().stop_requested());
  ended.count_down();
  pool.wait();
  CHECK(pool.wait_until(soon));
  CHECK(others == 0);
}

}  // namespace background_pool_test
