#include "http/epoll/poller.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>

#include "base/waiting_for_memory.hpp"

namespace fw::http {
namespace {

constexpr std::uint32_t kConnectionEvents = EPOLLIN | EPOLLRDHUP | EPOLLET;

int control(const FileDescriptor& epoll, int operation, int fd, std::uint32_t events,
            std::uint64_t id) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return epoll_ctl(epoll.get(), operation, fd, &event);
}

Poller::Event event_of(const epoll_event& event) {
  return {event.data.u64, (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0,
          (event.events & (EPOLLHUP | EPOLLERR)) != 0};
}

}  // namespace

Poller::Poller(std::chrono::milliseconds longest_wait)
    : longest_wait_(longest_wait),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC)),
      nudge_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {
  if (!epoll_ || !wake_ || !nudge_ ||
      control(epoll_, EPOLL_CTL_ADD, wake_.get(), EPOLLIN, kWake) != 0 ||
      control(epoll_, EPOLL_CTL_ADD, nudge_.get(), EPOLLIN, kWakeOne) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make an epoll set");
  }
}

void Poller::watch_listener(int fd) {
  if (control(epoll_, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLONESHOT, kListener) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot watch the listening socket");
  }
}

void Poller::rearm_listener(int fd) {
  control(epoll_, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLONESHOT, kListener);
}

void Poller::forget(int fd) { control(epoll_, EPOLL_CTL_DEL, fd, 0, 0); }

bool Poller::watch_connection(int fd, std::uint64_t id) {
  return control(epoll_, EPOLL_CTL_ADD, fd, kConnectionEvents, id) == 0;
}

void Poller::watch_output(int fd, std::uint64_t id) {
  control(epoll_, EPOLL_CTL_MOD, fd, kConnectionEvents | EPOLLOUT, id);
}

std::optional<Poller::Event> Poller::wait(BatchSlot& slot, std::chrono::milliseconds timeout,
                                          bool& has_more) {
  slot.posts_in_a_row_ = 0;
  std::array<epoll_event, EventBatch::kCapacity + 1> ready;
  const int most = slot.batch_ != nullptr ? static_cast<int>(ready.size()) : 1;
  const int count = epoll_wait(epoll_.get(), ready.data(), most, static_cast<int>(timeout.count()));
  if (count <= 0) return std::nullopt;
  has_more = count > 1;
  if (has_more) {
    std::array<Event, EventBatch::kCapacity> others;
    const auto size = static_cast<std::size_t>(count) - 1;
    std::transform(ready.begin() + 1, ready.begin() + count, others.begin(), event_of);
    slot.batch_->fill({others.data(), size});
  }
  return event_of(ready[0]);
}

std::optional<Poller::Event> Poller::take_received(BatchSlot& slot, bool& has_more) {
  if (slot.batch_ != nullptr) {
    if (const auto event = slot.batch_->take()) return event;
  }
  if (posted_count_.load() == 0) return take_of_others();
  if (slot.posts_in_a_row_ >= kMaxPostsInARow) {
    if (const auto event = take_of_others()) return event;
    if (const auto event = wait(slot, std::chrono::milliseconds(0), has_more)) return event;
  }
  if (const auto event = take_posted(slot)) return event;
  return take_of_others();
}

std::optional<Poller::Event> Poller::take_of_others() {
  const std::size_t count = known_batches().size();
  for (std::size_t i = 0; i < count; ++i) {
    if (batches_[i].size() == 0) continue;
    if (const auto event = batches_[i].take()) return event;
  }
  return std::nullopt;
}

std::optional<Poller::Event> Poller::take_posted(BatchSlot& slot) {
  if (posted_count_.load() == 0) return std::nullopt;
  Event event;
  bool has_more = false;
  {
    const std::lock_guard lock(mutex_);
    const bool is_slow =
        !slow_.empty() && (posted_.empty() || slot.posts_before_slow_ >= kMaxPostsInARow);
    std::deque<Post>& queue = is_slow ? slow_ : posted_;
    if (queue.empty()) return std::nullopt;
    const Post& post = queue.front();
    event = post.event;
    event.is_late = !is_slow && is_late(post);
    event.posted_at = post.since;
    slot.posts_in_a_row_ = event.has_lease ? kMaxPostsInARow : slot.posts_in_a_row_ + 1;
    slot.posts_before_slow_ = is_slow ? 0 : slot.posts_before_slow_ + 1;
    queue.pop_front();
    count_posts();
    has_more = posted_count_.load() > 0;
  }
  taken_posts_.fetch_add(1);
  if (has_more) nudge_for_posts();
  return event;
}

/// Wakes one worker for the posted events. It wakes the next one if there are more, so that a
/// series of posts to busy workers makes one system call.
void Poller::nudge_for_posts() noexcept {
  if (!post_has_nudged_.exchange(true)) nudge(1);
}

EventBatch* Poller::find_batch() {
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    if (!batches_[i].acquire()) continue;
    auto known = known_batches_.load();
    while (known <= i && !known_batches_.compare_exchange_weak(known, i + 1)) {
    }
    return &batches_[i];
  }
  return nullptr;
}

std::size_t Poller::received() const {
  auto count = posted_count_.load();
  for (const EventBatch& batch : known_batches()) count += batch.size();
  return count;
}

std::uint64_t Poller::progress() const {
  auto sum = taken_posts_.load();
  for (const EventBatch& batch : known_batches()) sum += batch.version();
  return sum;
}

std::uint64_t Poller::batch_count() const {
  std::uint64_t sum = 0;
  for (const EventBatch& batch : known_batches()) sum += batch.batch_count();
  return sum;
}

void Poller::post(std::uint64_t id) noexcept { add_post({.event = {.id = id}}); }

void Poller::yield(std::uint64_t id) noexcept {
  add_post({.event = {.id = id, .has_lease = true}});
}

void Poller::yield_slow(std::uint64_t id) noexcept {
  add_post(slow_, {.event = {.id = id, .has_lease = true}});
}

void Poller::post_task(std::uint64_t id) noexcept {
  add_post({.event = {.id = id, .has_lease = true, .task = TaskEvent::normal}});
}

void Poller::post_slow_task(std::uint64_t id) noexcept {
  add_post(slow_, {.event = {.id = id, .has_lease = true, .task = TaskEvent::slow}});
}

bool Poller::gather(const std::function<void(const Event&)>& note) noexcept {
  if (longest_wait_.count() == 0 && posted_count_.load() >= kMaxGathered) return false;
  bool has_clients = false;
  const auto add = [&](const Event& event) {
    has_clients = has_clients || event.id == kListener;
    // Other events are events of this class, which stay in the epoll set.
    if (event.id < kFirstConnection) return;
    if (event.peer_closed) note(event);
    add_post({.event = event});
  };
  while (const auto event = take_of_others()) add(*event);
  std::array<epoll_event, 64> ready;
  int count = 0;
  do {
    count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 0);
    for (int i = 0; i < count; ++i) add(event_of(ready[static_cast<std::size_t>(i)]));
  } while (count == static_cast<int>(ready.size()));
  return has_clients;
}

std::chrono::milliseconds Poller::gather_interval() const {
  constexpr std::chrono::milliseconds kMaxInterval{250};
  if (longest_wait_.count() == 0) return kMaxInterval;
  return std::clamp(longest_wait_ / 16, std::chrono::milliseconds(1), kMaxInterval);
}

/// An event may have waited for an interval before it was gathered, and its connection for another
/// one to be accepted.
bool Poller::is_late(const Post& post) const {
  return longest_wait_.count() > 0 &&
         coarse_now() - post.since >= (longest_wait_ - 2 * gather_interval()).count();
}

std::optional<Poller::Event> Poller::take_late() {
  const std::lock_guard lock(mutex_);
  if (posted_.empty() || !is_late(posted_.front())) return std::nullopt;
  auto event = posted_.front().event;
  event.is_late = true;
  posted_.pop_front();
  count_posts();
  taken_posts_.fetch_add(1);
  return event;
}

/// With the mutex.
void Poller::count_posts() { posted_count_.store(posted_.size() + slow_.size()); }

void Poller::add_post(const Post& post) noexcept { add_post(posted_, post); }

/// Waits for memory if necessary, because a lost event would leave its connection without an owner.
void Poller::add_post(std::deque<Post>& queue, const Post& post) noexcept {
  base::wait_for_memory([&] {
    const std::lock_guard lock(mutex_);
    queue.push_back(post);
    count_posts();
  });
  nudge_for_posts();
}

void Poller::wake_all() { eventfd_write(wake_.get(), 1); }

void Poller::nudge(std::size_t count) noexcept { eventfd_write(nudge_.get(), count); }

void Poller::consume_wake() {
  post_has_nudged_.store(false);  // first: a post from now on nudges again
  eventfd_t one = 0;
  eventfd_read(nudge_.get(), &one);
}

}  // namespace fw::http
