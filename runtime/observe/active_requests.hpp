// The requests that are in progress, for `/requests` of the admin listener (docs/metrics.md).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/short_mutex.hpp"
#include "base/spare_allocator.hpp"
#include "observe/thread_number.hpp"

namespace fw::detail {

/// What a request is doing.
enum class RequestState : std::uint8_t {
  receiving,   ///< its body arrives
  waiting,     ///< for its session, or for the response to another request
  stages,      ///< anything that has no state of its own, such as middlewares
  guard,       ///< `auth` of its route
  validation,  ///< of its input
  handler,
  sending,  ///< the response
  stream,   ///< an open stream of events, whose handler has returned
  socket,   ///< an open socket
};
inline constexpr std::size_t kRequestStates = 9;

std::string_view to_string(RequestState state);

class ActiveRequest;

/// Has several lists, so that threads seldom wait for each other. Thread-safe.
class ActiveRequests {
 public:
  static constexpr std::size_t kNoRoute = static_cast<std::size_t>(-1);
  /// The most that a snapshot describes, whatever clients do.
  static constexpr std::size_t kMaxRows = 500;

  struct Row {
    std::string id;           ///< empty: none, or not known yet
    std::string_view method;  ///< a constant
    std::string_view route;   ///< "/users/:id"; empty: none, or not known yet
    RequestState state;
    std::chrono::steady_clock::time_point began;
    bool is_late;  ///< it got a 504 at its deadline
  };
  struct Snapshot {
    std::array<std::size_t, kRequestStates> states{};  ///< how many requests are in each
    std::size_t total = 0;
    std::vector<Row> rows;  ///< the oldest first; streams and sockets after the others
  };

  /// `paths` of the routes, by their numbers.
  explicit ActiveRequests(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  /// Must not be used longer than this exists.
  Snapshot snapshot() const;

 private:
  friend class ActiveRequest;
  static constexpr std::size_t kLists = 32;  ///< a power of two

  /// Of an entry: its neighbours. Of a list: its ends.
  struct Links {
    Links* previous;
    Links* next;
  };

  /// Requests in the order in which they have been added, in a ring with the ends of the list.
  struct alignas(64) List {
    mutable base::ShortMutex mutex;
    Links ends{&ends, &ends};
  };

  void add_rows(const List& list, Snapshot& snapshot, std::vector<Row>& open_ended) const;

  const std::vector<std::string> paths_;
  std::array<List, kLists> lists_;
};

/// The entry of a request, which is listed from its construction until `leave`. A thread keeps the
/// memory of one entry, so that the next one allocates nothing. The functions that change it are
/// for one thread at a time, except for `note_late`.
class ActiveRequest : private ActiveRequests::Links {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `method` must be a constant.
  ActiveRequest(ActiveRequests& owner, std::string_view method, TimePoint began, RequestState state)
      : list_(&owner.lists_[thread_number() & (ActiveRequests::kLists - 1)]),
        method_(method),
        began_(began),
        state_(state) {
    ActiveRequests::Links& ends = list_->ends;
    const std::lock_guard lock(list_->mutex);
    link(*ends.previous, ends);
  }
  /// Replaces another entry, which leaves. `id` as in `set_id`.
  ActiveRequest(ActiveRequest& other, RequestState state, const std::string& id);
  ~ActiveRequest() { leave(); }
  ActiveRequest(const ActiveRequest&) = delete;
  ActiveRequest& operator=(const ActiveRequest&) = delete;

  static void* operator new(std::size_t) { return Memory().allocate(1); }
  static void operator delete(void* memory) noexcept {
    Memory().deallocate(static_cast<ActiveRequest*>(memory), 1);
  }

  /// The string must neither change nor end before `leave`.
  void set_id(const std::string& id) noexcept { id_.store(&id, std::memory_order_release); }
  void set_route(std::size_t number) noexcept { route_.store(number, std::memory_order_relaxed); }
  void set_state(RequestState state) noexcept { state_.store(state, std::memory_order_relaxed); }
  RequestState state() const noexcept { return state_.load(std::memory_order_relaxed); }
  void note_late() noexcept { is_late_.store(true, std::memory_order_relaxed); }
  /// Once it returns, nothing reads the entry or its id. May be called repeatedly.
  void leave() noexcept {
    if (list_ == nullptr) return;
    const std::lock_guard lock(list_->mutex);
    previous->next = next;
    next->previous = previous;
    list_ = nullptr;
  }

 private:
  friend class ActiveRequests;
  using Memory = base::SpareAllocator<ActiveRequest>;

  void link(Links& before, Links& after) noexcept {
    previous = &before;
    next = &after;
    before.next = after.previous = this;
  }

  ActiveRequests::List* list_;  ///< null: it is not listed
  const std::string_view method_;
  const TimePoint began_;
  std::atomic<const std::string*> id_ = nullptr;
  std::atomic<std::size_t> route_ = ActiveRequests::kNoRoute;
  std::atomic<RequestState> state_;
  std::atomic<bool> is_late_ = false;
};

}  // namespace fw::detail
