namespace detail {

/// The stop token and the deadline of a call.
class Limits {
 public:
  Limits(const char* operation, std::stop_token stop,
         std::optional<std::chrono::milliseconds> timeout)
      : operation_(operation), stop_(std::move(stop)), timeout_(timeout) {
    if (timeout) deadline_ = time_after(*timeout);
  }

  bool exist() const { return timeout_.has_value() || stop_.stop_possible(); }
  const std::stop_token& stop() const { return stop_; }
  Clock::time_point deadline() const { return deadline_; }
  bool reached() const { return stop_.stop_requested() || Clock::now() >= deadline_; }

  /// Throws if the call was cancelled or its deadline has expired.
  void check() const {
    if (stop_.stop_requested()) {
      throw TransportError(TransportError::Kind::cancelled,
                           std::string(operation_) + ": cancelled");
    }
    if (timeout_ && Clock::now() >= deadline_) {
      throw TransportError(TransportError::Kind::timeout,
                           std::string(operation_) + ": no response within " +
                               std::to_string(timeout_->count()) + " ms");
    }
  }

  /// The smaller one of `wish` and the remaining time.
  std::chrono::milliseconds shorten(std::chrono::milliseconds wish) const {
    if (!timeout_) return wish;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    return std::clamp(left, std::chrono::milliseconds(1),
                      std::max(wish, std::chrono::milliseconds(1)));
  }

  /// Waits. Throws as soon as the call is cancelled or its deadline expires.
  void wait(std::chrono::milliseconds duration) const {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any nothing;
    nothing.wait_until(lock, stop_, time_after(shorten(duration)), [] { return false; });
    check();
  }

 private:
  const char* operation_;
  std::stop_token stop_;
  std::optional<std::chrono::milliseconds> timeout_;
  Clock::time_point deadline_ = Clock::time_point::max();
};

/// Interrupts the connections of calls that have reached their limits, because nothing else ends a
/// blocked read or a slow response. The first call with limits starts its thread.
class Watchdog {
 public:
  Watchdog() = default;
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Watches one attempt during its lifetime.
  class Watch {
   public:
    Watch(Watchdog& dog, Connection& connection, const Limits& limits)
        : dog_(dog),
          entry_{&connection, &limits},
          stopped_((dog.add(entry_), limits.stop()), [&dog] { dog.wake(); }) {}
    ~Watch() { dog_.remove(entry_); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Watchdog& dog_;
    std::pair<Connection*, const Limits*> entry_;
    std::stop_callback<std::function<void()>> stopped_;
  };

 private:
  using Entry = std::pair<Connection*, const Limits*>;

  void add(Entry& entry) {
    {
      const std::lock_guard lock(mutex_);
      entries_.insert(&entry);
      if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token end) { run(end); });
    }
    wake();
  }
  void remove(Entry& entry) {
    const std::lock_guard lock(mutex_);
    entries_.erase(&entry);
  }
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    condition_.notify_all();
  }

  void run(const std::stop_token& end) {
    // Interrupts repeatedly until the call ends, because a connection may be opened just after it
    // was interrupted.
    constexpr auto kAgain = std::chrono::milliseconds(10);
    constexpr auto kMaxWait = std::chrono::hours(1);
    std::unique_lock lock(mutex_);
    while (!end.stop_requested()) {
      auto next = Clock::now() + kMaxWait;
      for (Entry* entry : entries_) {
        const bool reached = entry->second->reached();
        if (reached) entry->first->interrupt();
        next = std::min(next, reached ? Clock::now() + kAgain : entry->second->deadline());
      }
      condition_.wait_until(lock, end, next, [this] { return woken_; });
      woken_ = false;
    }
  }

  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::set<Entry*> entries_;
  bool woken_ = false;
  std::jthread thread_;  // the last member, so that it ends before the others are destroyed
};

}  // namespace detail
