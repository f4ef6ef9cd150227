#include "observe/active_requests.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fw::detail {
namespace {

constexpr std::array<std::string_view, kRequestStates> kNames = {
    "receiving", "waiting", "stages", "guard", "validation",
    "handler",   "sending", "stream", "socket"};
static_assert(static_cast<std::size_t>(RequestState::socket) + 1 == kRequestStates);

bool is_open_ended(RequestState state) {
  return state == RequestState::stream || state == RequestState::socket;
}

void keep_oldest(std::vector<ActiveRequests::Row>& rows, std::size_t most) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.began < b.began; });
  if (rows.size() > most) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end());
}

}  // namespace

std::string_view to_string(RequestState state) { return kNames[static_cast<std::size_t>(state)]; }

ActiveRequests::Snapshot ActiveRequests::snapshot() const {
  Snapshot snapshot;
  std::vector<Row> open_ended;
  for (const List& list : lists_) {
    add_rows(list, snapshot, open_ended);
    // After each list, so that the memory has a bound.
    keep_oldest(snapshot.rows, kMaxRows);
    keep_oldest(open_ended, kMaxRows);
  }
  const std::size_t left = std::min(kMaxRows - snapshot.rows.size(), open_ended.size());
  std::move(open_ended.begin(), open_ended.begin() + static_cast<std::ptrdiff_t>(left),
            std::back_inserter(snapshot.rows));
  return snapshot;
}

/// The first entries of a list are the oldest, so that the others need not be copied.
void ActiveRequests::add_rows(const List& list, Snapshot& snapshot,
                              std::vector<Row>& open_ended) const {
  std::size_t left = kMaxRows;
  std::size_t open_ended_left = kMaxRows;
  const std::lock_guard lock(list.mutex);
  for (const Links* at = list.ends.next; at != &list.ends; at = at->next) {
    const ActiveRequest* const each = static_cast<const ActiveRequest*>(at);
    const RequestState state = each->state();
    ++snapshot.states[static_cast<std::size_t>(state)];
    ++snapshot.total;
    std::size_t& most = is_open_ended(state) ? open_ended_left : left;
    if (most == 0) continue;
    --most;
    const std::string* const id = each->id_.load(std::memory_order_acquire);
    const std::size_t route = each->route_.load(std::memory_order_relaxed);
    (is_open_ended(state) ? open_ended : snapshot.rows)
        .push_back(
            {.id = id != nullptr ? *id : std::string(),
             .method = each->method_,
             .route = route < paths_.size() ? std::string_view(paths_[route]) : std::string_view(),
             .state = state,
             .began = each->began_,
             .is_late = each->is_late_.load(std::memory_order_relaxed)});
  }
}

ActiveRequest::ActiveRequest(ActiveRequest& other, RequestState state, const std::string& id)
    : Links{nullptr, nullptr},
      list_(other.list_),
      method_(other.method_),
      began_(other.began_),
      id_(&id),
      route_(other.route_.load(std::memory_order_relaxed)),
      state_(state),
      is_late_(other.is_late_.load(std::memory_order_relaxed)) {
  if (list_ == nullptr) return;
  const std::lock_guard lock(list_->mutex);
  link(*other.previous, *other.next);
  other.list_ = nullptr;
}

}  // namespace fw::detail
