/// How a socket was closed: a code of RFC 6455, and the reason that came with it. 1006 for a lost
/// connection and for another error, whose text is the reason then.
struct SocketClose {
  int code = 1006;
  std::string reason = {};
  friend bool operator==(const SocketClose&, const SocketClose&) = default;
};

/// The service has closed the socket with another code than 1000 and 1001, or it was closed before.
class SocketClosed : public ClientError {
 public:
  SocketClosed(const std::string& operation, SocketClose close)
      : ClientError(operation + ": closed with " + std::to_string(close.code) +
                    (close.reason.empty() ? "" : ": " + close.reason)),
        close_(std::move(close)) {}

  int code() const { return close_.code; }
  const std::string& reason() const { return close_.reason; }

 private:
  SocketClose close_;
};

namespace detail {

/// What a socket needs of its options.
struct SocketSettings {
  std::stop_token stop = {};
  std::optional<std::chrono::milliseconds> timeout = {};
  std::string request_id = {};
  Headers headers = {};
  std::vector<std::string> protocols = {};
  bool reconnect = false;
  std::optional<int> max_reconnects = {};
  std::size_t max_message = 0;
};

/// Thrown by a function of the caller, which `error` keeps.
struct CallbackFailure {
  std::exception_ptr error;
};

/// Calls a function of the caller.
template <class Function, class... Arguments>
void call_back(const Function& function, Arguments&&... arguments) {
  if (!function) return;
  try {
    function(std::forward<Arguments>(arguments)...);
  } catch (...) {
    throw CallbackFailure{std::current_exception()};
  }
}

/// Frames that wait for a connection. Their memory is limited.
class FrameQueue {
 public:
  bool empty() const { return frames_.empty(); }
  /// False if too many wait.
  bool push(std::string frame) {
    constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;
    const std::size_t size = frame.size() + kFrameMemory;
    if (!frames_.empty() && bytes_ + size > kMaxBytes) return false;
    bytes_ += size;
    frames_.push_back(std::move(frame));
    return true;
  }
  std::string pop() {
    std::string frame = std::move(frames_.front());
    frames_.pop_front();
    bytes_ -= frame.size() + kFrameMemory;
    return frame;
  }
  void clear() {
    frames_.clear();
    bytes_ = 0;
  }

 private:
  /// What a frame needs beside its bytes.
  static constexpr std::size_t kFrameMemory = 64;

  std::deque<std::string> frames_;
  std::size_t bytes_ = 0;
};

/// The thread of a socket, which opens one connection after the other, sends and receives. It owns
/// the object, too, so that a function of the caller may destroy the socket, and then the client.
/// It calls no other function after that.
class SocketLoop {
 public:
  SocketLoop(std::shared_ptr<const Service> service, Call call, SocketSettings settings)
      : waker_(call.operation()),
        service_(std::move(service)),
        call_(std::move(call)),
        settings_(std::move(settings)) {}
  SocketLoop(const SocketLoop&) = delete;
  SocketLoop& operator=(const SocketLoop&) = delete;
  virtual ~SocketLoop() = default;

  /// Waits until the socket is open. Throws what prevents that.
  static void start(const std::shared_ptr<SocketLoop>& loop) {
    {
      const std::lock_guard lock(loop->mutex_);
      loop->start_thread([loop] { loop->run(); });
    }
    loop->stopped_.emplace(loop->settings_.stop, [raw = loop.get()] {
      raw->waker_.wake();
      const std::lock_guard lock(raw->mutex_);
      raw->changed_.notify_all();
    });
    std::unique_lock lock(loop->mutex_);
    loop->changed_.wait(lock, [&] { return loop->was_open_ || loop->has_ended_; });
    if (loop->was_open_) return;
    lock.unlock();
    loop->end();
    if (loop->error_) std::rethrow_exception(loop->error_);
    throw SocketClosed(loop->call_.operation(), loop->close_);
  }

  const char* operation() const { return call_.operation(); }

  /// Sends a message, without a wait. Thread-safe, as what follows.
  void send(Opcode opcode, std::string_view payload) {
    std::string frame = masked_frame(opcode, payload);
    {
      const std::lock_guard lock(mutex_);
      if (has_ended_ && error_) std::rethrow_exception(error_);
      if (has_ended_) throw SocketClosed(operation(), close_);
      if (own_close_) throw SocketClosed(operation(), *own_close_);
      // What `on_open` sends may be what the service needs to accept the messages that wait.
      FrameQueue& queue = is_opening_ && is_own_thread() ? opening_ : outgoing_;
      if (!queue.push(std::move(frame))) {
        fail(TransportError::Kind::timeout, "too many messages wait to be sent");
      }
    }
    waker_.wake();
  }

  void close(int code, std::string reason) {
    if (code != 1000 && (code < 3000 || code > 4999)) {
      throw std::invalid_argument(std::string(operation()) + ": a client cannot close with " +
                                  std::to_string(code));
    }
    if (reason.size() > kMaxCloseReason || !is_utf8(reason)) {
      throw std::invalid_argument(std::string(operation()) +
                                  ": the reason of a close is at most 123 bytes of UTF-8");
    }
    const std::lock_guard lock(mutex_);
    if (has_ended_ || own_close_) return;
    own_close_ = {code, std::move(reason)};
    changed_.notify_all();
    waker_.wake();
  }

  bool is_open() {
    const std::lock_guard lock(mutex_);
    return is_open_ && !own_close_;
  }

  /// Waits for the end.
  SocketClose wait_closed() {
    std::unique_lock lock(mutex_);
    check_thread("closed");
    changed_.wait(lock, [this] { return has_ended_; });
    return close_;
  }

  /// Closes the socket if necessary, and waits for the thread, which needs no longer than
  /// `kCloseTime` now. A function of the caller does not wait for itself, and is the last one then.
  void end() noexcept {
    std::thread thread;
    bool is_own = false;
    {
      const std::lock_guard lock(mutex_);
      is_own = is_own_thread();
      is_abandoned_ = is_own;
      if (!own_close_) own_close_ = {1000, {}};
      end_by_ = Clock::now() + kCloseTime;
      thread.swap(thread_);
      changed_.notify_all();
    }
    waker_.wake();
    if (!thread.joinable()) return;
    if (is_own) {
      thread.detach();
    } else {
      thread.join();
    }
  }

 protected:
  // Called by the thread of the socket:
  virtual void opened() = 0;
  virtual void receive(std::string content, bool is_text) = 0;
  /// Whether another message may be received.
  virtual bool has_room() = 0;
  virtual void closed(const SocketClose& close) = 0;

  /// With the lock. Throws in a function of the caller, for which the end would wait.
  void check_thread(const char* function) const {
    if (has_ended_ || !is_own_thread()) return;
    throw std::logic_error(std::string(operation()) + ": a function of the socket calls " +
                           function + "(), which would wait for the end of that function");
  }

  [[noreturn]] void fail(TransportError::Kind kind, const std::string& text) const {
    throw TransportError(kind, std::string(operation()) + ": " + text);
  }
  [[noreturn]] void fail_message(const std::string& error) const {
    fail(TransportError::Kind::malformed, "a message " + error);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  bool is_error_seen_ = false;
  std::exception_ptr error_;  ///< of the end, unless that was intended
  Waker waker_;

 private:
  /// For what the service sends after a close frame.
  static constexpr std::chrono::milliseconds kCloseTime{2000};

  /// `close` was called while there was no connection.
  struct Closing {};

  template <class Run>
  void start_thread(const Run& run) {
    try {
      thread_ = std::thread(run);
    } catch (const std::system_error& error) {
      fail(TransportError::Kind::connect,
           std::string("no thread for a socket (") + error.what() + ")");
    }
    own_thread_ = thread_.get_id();
  }
  /// With the lock.
  bool is_own_thread() const { return own_thread_ == std::this_thread::get_id(); }

  void run() noexcept {
    const SigpipeBlock block;
    SocketClose close;
    std::exception_ptr error;
    try {
      close = connect_repeatedly(error);
    } catch (const Closing&) {
      close = wish();
    } catch (const CallbackFailure& failure) {
      error = failure.error;
    } catch (...) {
      error = std::current_exception();
    }
    if (error && close.code == SocketClose().code) close.reason = reason_of(error);
    bool is_heard = false;
    {
      const std::lock_guard lock(mutex_);
      is_heard = was_open_ && !is_abandoned_;
      is_open_ = false;
      has_ended_ = true;
      close_ = close;
      error_ = std::move(error);
      opening_.clear();
      outgoing_.clear();
      changed_.notify_all();
    }
    try {
      if (is_heard) closed(close);
    } catch (...) {
      // Ignored: nobody is left to tell.
    }
  }

  static std::string reason_of(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      return known.what();
    } catch (...) {
      return "a function of the socket has thrown an unknown error";
    }
  }

  SocketClose wish() {
    const std::lock_guard lock(mutex_);
    return own_close_.value_or(SocketClose{});
  }

  /// Throws if a socket without an open connection is to end.
  void check(const Limits& limits) {
    limits.check();
    const std::lock_guard lock(mutex_);
    if (own_close_) throw Closing();
  }

  /// Returns how the last connection was closed. Sets `error` unless that was intended.
  SocketClose connect_repeatedly(std::exception_ptr& error) {
    const ClientOptions& options = service_->options();
    const std::string request_id = service_->request_id_of(settings_.request_id);
    Reconnection reconnection(options.retry, settings_.max_reconnects);
    while (true) {
      SocketClose close;
      std::exception_ptr failure;
      std::optional<std::chrono::milliseconds> asked;
      bool passes = false;
      reconnection.begin();
      try {
        const Limits limits(operation(), settings_.stop,
                            settings_.timeout ? settings_.timeout : options.timeout);
        const auto check_limits = [&] { check(limits); };
        check_limits();
        ByteChannel channel(service_->url(), options, waker_, operation(), limits.deadline(),
                            check_limits);
        std::string input = open(channel, limits, request_id);
        begin_connection();
        reconnection.opened();
        opened();
        end_opening();
        close = serve(channel, std::move(input), reconnection);
        // Going away, an internal error, a restart, and overload.
        const bool is_intended = close.code == 1000 || close.code == 1001;
        passes = close.code == 1001 || (close.code >= 1011 && close.code <= 1013);
        if (!is_intended) {
          failure = std::make_exception_ptr(SocketClosed(operation(), close));
        }
      } catch (const ApiError& rejected) {
        failure = std::current_exception();
        asked = retry_after(rejected.response());
        passes =
            may_pass(rejected.status()) && (!asked || *asked <= options.retry.longest_retry_after);
      } catch (const TransportError& lost) {
        failure = std::current_exception();
        // The service sends pings, so that a silent connection is a broken one.
        passes = may_pass(lost) || lost.kind() == TransportError::Kind::timeout;
      }
      end_connection();
      if (has_own_close()) return wish();
      const auto delay = settings_.reconnect && passes ? reconnection.next(asked) : std::nullopt;
      if (!delay) {
        error = failure;
        return close;
      }
      pause(*delay);
    }
  }

  bool has_own_close() {
    const std::lock_guard lock(mutex_);
    return own_close_.has_value();
  }

  void begin_connection() {
    const std::lock_guard lock(mutex_);
    if (own_close_) throw Closing();
    is_open_ = true;
    was_open_ = true;
    is_opening_ = true;
    changed_.notify_all();
  }
  void end_opening() {
    const std::lock_guard lock(mutex_);
    is_opening_ = false;
  }
  void end_connection() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
    is_opening_ = false;
    opening_.clear();  // `on_open` is called again
  }

  void pause(std::chrono::milliseconds duration) {
    const Limits limits(operation(), settings_.stop, std::nullopt);
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, time_after(duration),
                        [&] { return own_close_.has_value() || settings_.stop.stop_requested(); });
    lock.unlock();
    check(limits);
  }

  /// Opens the socket, and returns what has been received after the response.
  std::string open(ByteChannel& channel, const Limits& limits, const std::string& request_id) {
    constexpr std::size_t kMaxHead = std::size_t{64} << 10U;
    constexpr int kMaxHeads = 10;
    const std::string key = random_key();
    const httplib::Request request =
        service_->make_request(call_, {.headers = settings_.headers}, request_id);
    const std::string head = opening_head(request, service_->url(), key, settings_.protocols);
    std::string input;
    send_all(channel, head, limits);
    Received received{.operation = operation()};
    std::string reason;
    int heads = 0;
    do {  // 101 is no response that another one follows
      if (++heads > kMaxHeads) {
        fail_opening(TransportError::Kind::interrupted, "only interim responses arrive");
      }
      std::size_t end = 0;
      while ((end = input.find("\r\n\r\n")) == std::string::npos) {
        if (input.size() > kMaxHead || !receive_more(channel, input, limits)) {
          fail_opening(TransportError::Kind::interrupted,
                       "the connection ended before the response was complete");
        }
      }
      received.info = {};
      if (!parse_response_head(std::string_view(input).substr(0, end), received.info, reason)) {
        fail_opening(TransportError::Kind::interrupted, "the response is not HTTP");
      }
      input.erase(0, end + 4);
    } while (received.info.status < 200 && received.info.status != 101);
    service_->keep_cookies(request, received.info);
    if (received.info.status == 101) {
      const std::string error = opening_error(received.info, key, settings_.protocols);
      if (!error.empty()) received.fail(error);
      return input;
    }
    if (received.is_success()) received.fail("does not upgrade to a socket");
    for (bool has_ended = false;;) {
      if (auto body = error_body(received.info, input, has_ended)) {
        received.body = *std::move(body);
        break;
      }
      has_ended = !receive_more(channel, input, limits);
    }
    throw_api_error(std::move(received), reason, service_->errors());
  }

  [[noreturn]] void fail_opening(TransportError::Kind kind, const std::string& text) const {
    fail(kind, text + " (" + service_->options().base_url + ")");
  }

  void send_all(ByteChannel& channel, std::string_view bytes, const Limits& limits) {
    const auto until = time_after(service_->options().write_timeout);
    while (!bytes.empty()) {
      const auto size = channel.write(bytes);
      if (size < 0) fail_opening(TransportError::Kind::interrupted, "the connection has ended");
      bytes.remove_prefix(static_cast<std::size_t>(size));
      if (size == 0) wait(channel, false, until, limits);
    }
  }

  /// False at the end of the connection.
  bool receive_more(ByteChannel& channel, std::string& input, const Limits& limits) {
    std::array<char, 4096> buffer;
    const auto until = time_after(service_->options().read_timeout);
    while (true) {
      const auto size = channel.read(buffer);
      if (size < 0) return false;
      if (size > 0) {
        input.append(buffer.data(), static_cast<std::size_t>(size));
        return true;
      }
      wait(channel, true, until, limits);
    }
  }

  void wait(ByteChannel& channel, bool reads, Clock::time_point until, const Limits& limits) {
    if (Clock::now() >= until) {
      fail_opening(TransportError::Kind::timeout, "no response in time");
    }
    channel.wait(reads, !reads, std::min(until, limits.deadline()));
    check(limits);
  }

  /// What is on its way on one connection.
  struct Traffic {
    std::string output = {};  ///< frames
    std::size_t sent = 0;     ///< bytes of them
    Clock::time_point heard;  ///< when the service has sent something
    Clock::time_point taken;  ///< when it has accepted something
    bool is_writable = true;  ///< false: it has ended, but may have sent something before
    std::optional<Clock::time_point> pinged = {};  ///< when a ping was sent because of the silence
    std::optional<Clock::time_point> end_by = {};  ///< after a close frame of either side
    std::optional<SocketClose> theirs = {};        ///< the close frame of the service
    bool is_closing = false;     ///< this side wants to end; no messages are received
    bool has_own_close = false;  ///< is sent, or is in the output

    bool has_output() const { return sent < output.size(); }
    bool has_room() const { return output.size() - sent < (std::size_t{64} << 10U); }
    void add(const std::string& frame) {
      if (!has_output()) taken = Clock::now();
      output += frame;
    }
    /// Once it pays.
    void drop_sent() {
      if (sent * 2 < output.size()) return;
      output.erase(0, std::exchange(sent, 0));
    }
  };

  /// Sends and receives until the socket is closed. Throws a TransportError for a lost connection.
  SocketClose serve(ByteChannel& channel, std::string first, Reconnection& reconnection) {
    FrameReader reader(settings_.max_message);
    Traffic traffic{.heard = Clock::now(), .taken = Clock::now()};
    std::vector<char> buffer(std::size_t{64} << 10U);
    std::string_view input = first;
    while (true) {
      if (settings_.stop.stop_requested()) {
        say_goodbye(channel, traffic, 1001);
        Limits(operation(), settings_.stop, std::nullopt).check();
      }
      take_outgoing(traffic);
      send_output(channel, traffic);
      if (traffic.theirs && !traffic.has_output()) return *traffic.theirs;
      const bool reads = !traffic.theirs && (traffic.is_closing || has_room());
      bool is_idle = true;
      if (reads && input.empty()) {
        const auto size = channel.read(buffer);
        if (size < 0) return end_of_input(traffic);
        if (size > 0) {
          input = std::string_view(buffer.data(), static_cast<std::size_t>(size));
          traffic.heard = Clock::now();
          traffic.pinged.reset();
        }
      }
      if (reads && !input.empty()) {
        is_idle = false;
        handle(channel, traffic, reader, reader.read(input), reconnection);
        if (traffic.theirs && traffic.has_own_close && has_own_close()) return wish();
      }
      if (!reads) {
        traffic.heard = Clock::now();
        traffic.pinged.reset();
      }
      if (is_idle && reads && !traffic.is_writable) return end_of_input(traffic);
      // In each round: a service that keeps sending must not delay the end.
      const auto until = look_at_time(traffic);
      if (!until) return traffic.theirs.value_or(wish());
      if (is_idle) channel.wait(reads, traffic.has_output(), *until);
    }
  }

  /// Moves what waits into the output, and at last the close frame.
  void take_outgoing(Traffic& traffic) {
    const std::lock_guard lock(mutex_);
    if (end_by_) traffic.end_by = traffic.end_by ? std::min(*traffic.end_by, *end_by_) : end_by_;
    traffic.is_closing = own_close_.has_value();
    if (traffic.has_own_close || traffic.theirs || !traffic.is_writable) return;
    for (FrameQueue* queue : {&opening_, &outgoing_}) {
      while (!queue->empty() && traffic.has_room()) traffic.add(queue->pop());
      if (!queue->empty()) return;
    }
    if (!own_close_) return;
    traffic.add(close_frame(own_close_->code, own_close_->reason));
    traffic.has_own_close = true;
    if (!traffic.end_by) traffic.end_by = Clock::now() + kCloseTime;
  }

  static void send_output(ByteChannel& channel, Traffic& traffic) {
    while (traffic.has_output() && traffic.is_writable) {
      const auto size = channel.write(std::string_view(traffic.output).substr(traffic.sent));
      if (size == 0) return traffic.drop_sent();
      traffic.is_writable = size > 0;
      if (size > 0) traffic.sent += static_cast<std::size_t>(size);
      traffic.taken = Clock::now();
    }
    traffic.sent = traffic.output.size();
    traffic.drop_sent();
  }

  void handle(ByteChannel& channel, Traffic& traffic, FrameReader& reader, FrameReader::Event event,
              Reconnection& reconnection) {
    switch (event) {
      case FrameReader::Event::none:
      case FrameReader::Event::pong:
        return;
      case FrameReader::Event::ping:
        if (!traffic.has_own_close && traffic.has_room()) {
          traffic.add(masked_frame(Opcode::pong, reader.payload()));
        }
        return;
      case FrameReader::Event::close:
        traffic.theirs = {reader.code(), reader.payload()};
        if (!traffic.has_own_close) {
          traffic.add(close_frame(reader.code()));
          traffic.end_by = Clock::now() + kCloseTime;
        }
        return;
      case FrameReader::Event::failed:
        say_goodbye(channel, traffic, reader.code());
        fail(TransportError::Kind::malformed, reader.payload());
      case FrameReader::Event::message:
        break;
    }
    if (traffic.is_closing) return;
    reconnection.received();
    try {
      receive(reader.take_message(), reader.is_text());
    } catch (const TransportError&) {
      say_goodbye(channel, traffic, 1007);
      throw;
    } catch (...) {
      say_goodbye(channel, traffic, 1000);
      throw;
    }
  }

  /// Tells the service why the connection ends, if that needs no wait.
  static void say_goodbye(ByteChannel& channel, Traffic& traffic, int code) {
    if (!traffic.has_own_close && !traffic.theirs) traffic.add(close_frame(code));
    send_output(channel, traffic);
  }

  SocketClose end_of_input(const Traffic& traffic) {
    if (traffic.theirs) return *traffic.theirs;
    if (traffic.has_own_close && has_own_close()) return wish();
    fail(TransportError::Kind::interrupted, "the connection was lost");
  }

  /// Until when the connection may wait. Empty if a close has taken too long.
  std::optional<Clock::time_point> look_at_time(Traffic& traffic) const {
    const ClientOptions& options = service_->options();
    const auto now = Clock::now();
    if (traffic.end_by && now >= *traffic.end_by) return std::nullopt;
    auto next = traffic.end_by.value_or(Clock::time_point::max());
    if (traffic.has_output()) {
      const auto until = time_after(traffic.taken, options.write_timeout);
      if (now >= until) fail(TransportError::Kind::timeout, "the service accepts no data");
      next = std::min(next, until);
    }
    if (traffic.end_by) return next;
    // This process may have been stopped meanwhile, so that only a ping shows that nothing comes.
    const auto silent_until =
        time_after(traffic.pinged.value_or(traffic.heard), options.read_timeout / 2);
    if (now < silent_until) return std::min(next, silent_until);
    if (traffic.pinged) fail(TransportError::Kind::timeout, "the service sends nothing");
    traffic.pinged = now;
    traffic.add(masked_frame(Opcode::ping, {}));
    return now;
  }

  const std::shared_ptr<const Service> service_;
  const Call call_;
  const SocketSettings settings_;
  // With the lock:
  FrameQueue opening_;  ///< sent by `on_open`, before the others
  FrameQueue outgoing_;
  std::optional<SocketClose> own_close_;
  std::optional<Clock::time_point> end_by_;
  bool is_open_ = false;
  bool was_open_ = false;
  bool is_opening_ = false;    ///< `on_open` is being called
  bool is_abandoned_ = false;  ///< destroyed by a function of the caller
  SocketClose close_;
  std::thread thread_;
  std::thread::id own_thread_;
  std::optional<std::stop_callback<std::function<void()>>> stopped_;  ///< the first to be destroyed
};

}  // namespace detail
