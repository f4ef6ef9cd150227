#include "features/pages/background_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "support/allocation_count.hpp"

namespace background_pool_test {

using fairway::test::eventually;
using fw::detail::BackgroundPool;

namespace {

/// A lane whose threads are occupied: one until `open`, the others until the end.
class OccupiedLane {
 public:
  OccupiedLane() {
    for (std::size_t i = 0; i < BackgroundPool::kMaxOfLane; ++i) {
      pool_->post(lane_, "occupied", [this, &end = i == 0 ? opened_ : ended_](const auto&) {
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
    pool_->post(lane_, key, [this, key, exists = exists_](const auto&) { order_.push_back(key); });
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
      pool.post(slow, std::to_string(i), [&](const auto&) {
        ++begun;
        ended.wait();
      });
    }
    // Time in which too many would begin.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    pool.post(other, "page", [&](const auto&) { has_run.set_value(); });
    is_in_time =
        has_run.get_future().wait_for(std::chrono::seconds(60)) == std::future_status::ready;
    CHECK(begun.load() <= BackgroundPool::kMaxOfLane);
    ended.count_down();
  }
  CHECK(is_in_time);
}

TEST_CASE(
    "background pool: a slow task does not delay one that was posted while a thread was idle") {
  // In each attempt, the first thread is likely to be idle, and to wake after both posts.
  for (int attempt = 0; attempt < 20; ++attempt) {
    BackgroundPool::Lane lane;
    std::latch ended{1};
    std::promise<void> has_run;
    std::atomic<std::size_t> begun = 0;
    BackgroundPool pool;
    pool.post(lane, "first", [&](const auto&) { has_run.set_value(); });
    has_run.get_future().wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (std::size_t i = 0; i < BackgroundPool::kMaxOfLane; ++i) {
      pool.post(lane, std::to_string(i), [&](const auto&) {
        ++begun;
        ended.wait();
      });
    }
    const bool is_in_time = eventually([&] { return begun == BackgroundPool::kMaxOfLane; });
    ended.count_down();
    REQUIRE(is_in_time);
  }
}

TEST_CASE("background pool: a task for which no thread can begin runs after the next post") {
  // One of these is the allocation of the thread.
  for (std::size_t allocation = 1; allocation <= 12; ++allocation) {
    CAPTURE(allocation);
    BackgroundPool::Lane lane;
    std::atomic<int> runs = 0;
    BackgroundPool pool;
    const auto post = [&] { pool.post(lane, "page", [&](const auto&) { ++runs; }); };
    int posted = 0;
    try {
      const fw::support::AtAllocation failing(allocation, [] { return false; });
      post();
      ++posted;
    } catch (const std::bad_alloc&) {
    }
    post();
    ++posted;
    CHECK(eventually([&] { return runs == posted; }));
    pool.stop();
    pool.wait();
    CHECK(runs == posted);
  }
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
    pool.post(lane, "running", [&](const auto&) {
      begun.count_down();
      ended.wait();
    });
  }
  begun.wait();
  auto exists = std::make_shared<int>();
  const std::weak_ptr<int> waiting = exists;
  pool.post(lane, "waiting", [&, kept = std::move(exists)](const auto&) { ++others; });
  pool.stop();
  CHECK(waiting.expired());
  pool.post(lane, "late", [&](const auto&) { ++others; });
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

TEST_CASE("background pool: a task that throws ends, and others run") {
  BackgroundPool::Lane lane;
  BackgroundPool pool;
  auto exists = std::make_shared<int>();
  const std::weak_ptr<int> failed = exists;
  pool.post(lane, "failed", [kept = std::move(exists)](const auto&) { throw std::bad_alloc(); });
  std::atomic<int> runs = 0;
  for (int i = 0; i < 10; ++i) pool.post(lane, "page", [&](const auto&) { ++runs; });
  CHECK(eventually([&] { return failed.expired() && runs == 10; }));
}

namespace {

using Task = std::shared_ptr<BackgroundPool::Running>;

/// Tasks of a lane that do not end before `ended`.
class HungTasks {
 public:
  HungTasks(BackgroundPool& pool, BackgroundPool::Lane& lane, std::latch& ended) {
    for (std::size_t i = 0; i < BackgroundPool::kMaxOfLane; ++i) {
      pool.post(lane, std::to_string(i), [this, &ended](const Task& task) {
        {
          const std::lock_guard lock(mutex_);
          tasks_.push_back(task);
        }
        begun_.count_down();
        ended.wait();
      });
    }
    begun_.wait();
  }
  std::vector<Task> tasks() {
    const std::lock_guard lock(mutex_);
    return tasks_;
  }

 private:
  std::latch begun_{BackgroundPool::kMaxOfLane};
  std::mutex mutex_;
  std::vector<Task> tasks_;
};

}  // namespace

TEST_CASE("background pool: tasks that are abandoned do not keep others of their lane waiting") {
  BackgroundPool::Lane lane;
  std::latch ended{1};
  std::atomic<int> runs = 0;
  std::vector<Task> tasks;
  {
    BackgroundPool pool;
    HungTasks hung(pool, lane, ended);
    for (int i = 0; i < 3; ++i) pool.post(lane, "page", [&](const auto&) { ++runs; });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(runs == 0);
    tasks = hung.tasks();
    CHECK(tasks.front()->abandon());
    CHECK(!tasks.front()->abandon());
    CHECK(eventually([&] { return runs == 3; }));
    ended.count_down();
  }
  CHECK(!tasks.back()->abandon());
}

TEST_CASE("background pool: a lane whose tasks are abandoned again and again waits for their end") {
  BackgroundPool::Lane lane;
  std::latch ended{1};
  std::atomic<int> runs = 0;
  BackgroundPool pool;
  HungTasks first(pool, lane, ended);
  for (const Task& task : first.tasks()) CHECK(task->abandon());
  HungTasks second(pool, lane, ended);
  for (const Task& task : second.tasks()) CHECK(task->abandon());
  pool.post(lane, "page", [&](const auto&) { ++runs; });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(runs == 0);
  ended.count_down();
  CHECK(eventually([&] { return runs == 1; }));
}

TEST_CASE("background pool: lanes whose tasks are abandoned leave threads for others") {
  constexpr std::size_t kHungLanes = BackgroundPool::kMaxThreads / BackgroundPool::kMaxOfLane;
  std::vector<BackgroundPool::Lane> lanes(kHungLanes);
  BackgroundPool::Lane other;
  std::latch ended{1};
  std::atomic<int> runs = 0;
  std::vector<std::unique_ptr<HungTasks>> hung;
  BackgroundPool pool;
  for (auto& lane : lanes) hung.push_back(std::make_unique<HungTasks>(pool, lane, ended));
  pool.post(other, "page", [&](const auto&) { ++runs; });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(runs == 0);
  CHECK(hung.front()->tasks().front()->abandon());
  CHECK(eventually([&] { return runs == 1; }));
  ended.count_down();
}

}  // namespace background_pool_test
