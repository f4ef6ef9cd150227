#include "observe/active_requests.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/allocation_count.hpp"

namespace active_requests_test {

using fw::detail::ActiveRequest;
using fw::detail::ActiveRequests;
using fw::detail::RequestState;
using TimePoint = std::chrono::steady_clock::time_point;
using namespace std::chrono_literals;

namespace {

std::size_t count_of(const ActiveRequests::Snapshot& snapshot, RequestState state) {
  return snapshot.states[static_cast<std::size_t>(state)];
}

/// "ID METHOD ROUTE STATE" of each row.
std::vector<std::string> rows_of(const ActiveRequests& requests) {
  std::vector<std::string> rows;
  for (const auto& row : requests.snapshot().rows) {
    rows.push_back(row.id + " " + std::string(row.method) + " " + std::string(row.route) + " " +
                   std::string(to_string(row.state)));
  }
  return rows;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("active requests: an entry is listed until it leaves") {
  ActiveRequests requests({"/a", "/b"});
  const std::string id = "7";
  std::optional<ActiveRequest> first;
  first.emplace(requests, "GET", TimePoint(1s), RequestState::stages);
  CHECK(rows_of(requests) == Rows{" GET  stages"});
  first->set_id(id);
  first->set_route(1);
  first->set_state(RequestState::handler);
  ActiveRequest second(requests, "POST", TimePoint(2s), RequestState::receiving);
  ActiveRequest third(requests, "PUT", TimePoint(3s), RequestState::waiting);
  CHECK(rows_of(requests) == Rows{"7 GET /b handler", " POST  receiving", " PUT  waiting"});
  second.leave();
  second.leave();
  CHECK(rows_of(requests) == Rows{"7 GET /b handler", " PUT  waiting"});
  CHECK_FALSE(requests.snapshot().rows[0].is_late);
  first->note_late();
  CHECK(requests.snapshot().rows[0].is_late);
  first.reset();
  third.leave();
  CHECK(requests.snapshot().total == 0);
  const ActiveRequest last(requests, "GET", TimePoint(4s), RequestState::guard);
  CHECK(rows_of(requests) == Rows{" GET  guard"});
}

TEST_CASE("active requests: an entry that replaces another one keeps what is known") {
  ActiveRequests requests({"/a"});
  for (const bool has_neighbours : {false, true}) {
    CAPTURE(has_neighbours);
    std::optional<ActiveRequest> before;
    std::optional<ActiveRequest> after;
    const std::string id = "7";
    if (has_neighbours) before.emplace(requests, "PUT", TimePoint(1s), RequestState::handler);
    ActiveRequest old(requests, "GET", TimePoint(2s), RequestState::handler);
    old.set_route(0);
    if (has_neighbours) old.note_late();
    if (has_neighbours) after.emplace(requests, "POST", TimePoint(3s), RequestState::handler);
    {
      const ActiveRequest next(old, RequestState::stream, id);
      old.leave();
      old.set_state(RequestState::sending);
      const auto snapshot = requests.snapshot();
      CHECK(snapshot.total == (has_neighbours ? 3 : 1));
      CHECK(count_of(snapshot, RequestState::stream) == 1);
      CHECK(rows_of(requests).back() == "7 GET /a stream");
      CHECK(snapshot.rows.back().began == TimePoint(2s));
      CHECK(snapshot.rows.back().is_late == has_neighbours);
    }
    CHECK(requests.snapshot().total == (has_neighbours ? 2 : 0));
    const ActiveRequest none(old, RequestState::stream, id);
    CHECK(requests.snapshot().total == (has_neighbours ? 2 : 0));
  }
}

TEST_CASE("active requests: a snapshot is bounded, and open streams hide no request") {
  ActiveRequests requests({});
  std::deque<ActiveRequest> entries;
  constexpr std::size_t kMany = ActiveRequests::kMaxRows + 100;
  for (std::size_t i = 0; i < kMany; ++i) {
    entries.emplace_back(requests, "GET", TimePoint(1s + std::chrono::seconds(i)),
                         i % 2 == 0 ? RequestState::stream : RequestState::socket);
  }
  ActiveRequest young(requests, "GET", TimePoint(9'000s), RequestState::handler);
  auto snapshot = requests.snapshot();
  CHECK(snapshot.total == kMany + 1);
  CHECK(count_of(snapshot, RequestState::socket) == kMany / 2);
  REQUIRE(snapshot.rows.size() == ActiveRequests::kMaxRows);
  CHECK(snapshot.rows[0].state == RequestState::handler);
  CHECK(snapshot.rows[1].began == TimePoint(1s));
  // Of requests, the oldest are kept, whichever threads have them.
  std::thread([&] {
    for (std::size_t i = 0; i < kMany; ++i) {
      entries.emplace_back(requests, "GET", TimePoint(1ms * (i + 1)), RequestState::handler);
    }
  }).join();
  snapshot = requests.snapshot();
  CHECK(snapshot.total == 2 * kMany + 1);
  REQUIRE(snapshot.rows.size() == ActiveRequests::kMaxRows);
  CHECK(snapshot.rows.front().began == TimePoint(1ms));
  CHECK(snapshot.rows.back().began == TimePoint(1ms * ActiveRequests::kMaxRows));
}

TEST_CASE("active requests: an entry allocates nothing") {
  ActiveRequests requests({"/a"});
  const std::string id(600, 'x');
  const std::size_t before = fw::support::allocation_count();
  {
    ActiveRequest entry(requests, "GET", TimePoint(1s), RequestState::stages);
    entry.set_id(id);
    entry.set_route(0);
    entry.set_state(RequestState::handler);
  }
  CHECK(fw::support::allocation_count() == before);
}

TEST_CASE("active requests: snapshots are consistent while threads add and remove entries") {
  ActiveRequests requests({"/a"});
  std::atomic<bool> ends = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!ends) {
        const auto id = std::make_unique<std::string>(40, 'i');
        ActiveRequest entry(requests, "GET", TimePoint(1s), RequestState::stages);
        entry.set_id(*id);
        entry.set_route(0);
        entry.set_state(RequestState::handler);
        const std::string kept = *id;
        const ActiveRequest later(entry, RequestState::stream, kept);
      }
    });
  }
  bool is_consistent = true;
  for (int i = 0; i < 2'000; ++i) {
    const auto snapshot = requests.snapshot();
    is_consistent = is_consistent && snapshot.total <= 4 && snapshot.rows.size() == snapshot.total;
    for (const auto& row : snapshot.rows) {
      is_consistent = is_consistent && (row.id.empty() || row.id == std::string(40, 'i'));
    }
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(is_consistent);
  CHECK(requests.snapshot().total == 0);
}

}  // namespace active_requests_test
