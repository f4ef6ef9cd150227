/// Options of a call whose response is a stream.
struct StreamOptions {
  std::stop_token stop = {};  ///< ends the stream, at any time and from any thread
  /// Limit for the whole stream with all its connections; `ClientOptions::timeout` does not apply.
  std::optional<std::chrono::milliseconds> timeout = {};
  std::string request_id = {};  ///< instead of ClientOptions::request_id
  Headers headers = {};         ///< take precedence over all other headers
  /// The `id` of the last event that was received: the service sends what came after it.
  std::string last_event_id = {};
  /// How often in a row the client connects again without receiving an item or being open for
  /// `RetryOptions::longest_delay`. Empty: `RetryOptions::max_retries` until the stream has been
  /// open, and then no limit. With 0, the stream ends with its first connection.
  std::optional<int> max_reconnects = {};
};

namespace detail {

/// A range of what `Source::next` returns, once.
template <class Source, class Item>
class ItemIterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = Item;

  ItemIterator() = default;
  explicit ItemIterator(Source& source) : source_(&source), item_(source.next()) {}
  const Item& operator*() const { return *item_; }
  const Item* operator->() const { return &*item_; }
  ItemIterator& operator++() {
    item_ = source_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const ItemIterator& it, std::default_sentinel_t) { return !it.item_; }

 private:
  Source* source_ = nullptr;
  std::optional<Item> item_;
};

}  // namespace detail

/// The items of a stream while they arrive. The call runs on a thread of its own, which waits until
/// an item is taken; it ends with this object, which must not outlive its client.
///
///   for (const auto& item : stream) { … }
///
/// Taking an item throws what the call throws.
template <class Item>
class Stream {
 public:
  /// For generated code: `run` calls its argument with each item until that returns false.
  using Run = std::function<void(std::stop_token, const std::function<bool(Item)>&)>;
  explicit Stream(Run run, const std::stop_token& stop) : state_(std::make_unique<State>(stop)) {
    state_->thread =
        std::thread([state = state_.get(), run = std::move(run)]() mutable { state->fill(run); });
  }

  /// The next item, for which it waits; empty at the end of the stream.
  std::optional<Item> next() { return state_->take(); }

  using Iterator = detail::ItemIterator<Stream, Item>;
  /// Only once.
  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  struct State {
    explicit State(const std::stop_token& stop) : outer(stop, [this] { source.request_stop(); }) {}
    ~State() {
      source.request_stop();
      if (thread.joinable()) thread.join();
    }

    void fill(Run& run) {
      try {
        run(source.get_token(), [this](Item made) {
          std::unique_lock lock(mutex);
          item.emplace(std::move(made));
          changed.notify_all();
          return changed.wait(lock, source.get_token(), [this] { return !item; });
        });
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      has_ended = true;
      changed.notify_all();
    }

    std::optional<Item> take() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return item || has_ended; });
      if (item) {
        std::optional<Item> taken = std::move(item);
        item.reset();
        changed.notify_all();
        return taken;
      }
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
      return std::nullopt;
    }

    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<Item> item;
    bool has_ended = false;
    std::exception_ptr error;
    std::stop_source source;
    std::stop_callback<std::function<void()>> outer;
    std::thread thread;
  };

  std::unique_ptr<State> state_;
};
