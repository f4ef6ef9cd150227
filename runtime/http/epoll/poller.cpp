#include "http/epoll/poller.hpp"

#include <array>
#include <cerrno>
#include <new>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>

namespace fw::http {
namespace {

/// Maximum number of events per call: few enough to distribute events among workers, enough to save
/// calls.
constexpr std::size_t kTakenAtOnce = 16;
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

Poller::Poller()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC)),
      nudge_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {
  if (!epoll_ || !wake_ || !nudge_ ||
      control(epoll_, EPOLL_CTL_ADD, wake_.get(), EPOLLIN, kWake) != 0 ||
      control(epoll_, EPOLL_CTL_ADD, nudge_.get(), EPOLLIN, kNudge) != 0) {
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

std::optional<Poller::Event> Poller::wait(std::chrono::milliseconds timeout,
                                          bool& queue_has_grown) {
  std::array<epoll_event, kTakenAtOnce> ready;
  const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()),
                               static_cast<int>(timeout.count()));
  if (count <= 0) return std::nullopt;
  queue_has_grown = count > 1;
  if (count > 1) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) enqueue(event_of(ready[i]));
    queued_.store(queue_.size());
  }
  return event_of(ready[0]);
}

std::optional<Poller::Event> Poller::take_queued() {
  if (queued_.load() == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return std::nullopt;
  const auto event = queue_.front();
  queue_.pop_front();
  queued_.store(queue_.size());
  dequeued_.fetch_add(1);
  return event;
}

/// The caller holds the lock. Waits for memory if necessary, because a lost event would leave its
/// connection without an owner.
void Poller::enqueue(const Event& event) noexcept {
  while (true) {
    try {
      queue_.push_back(event);
      return;
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

void Poller::post(std::uint64_t id) noexcept {
  {
    const std::lock_guard lock(mutex_);
    enqueue({id});
    queued_.store(queue_.size());
  }
  nudge(1);
}

void Poller::wake_all() { eventfd_write(wake_.get(), 1); }

void Poller::nudge(std::size_t count) noexcept { eventfd_write(nudge_.get(), count); }

void Poller::end_nudge() {
  eventfd_t one = 0;
  eventfd_read(nudge_.get(), &one);
}

}  // namespace fw::http
