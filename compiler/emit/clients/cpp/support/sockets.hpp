/// A message of a socket that declares none: any text and any bytes.
struct RawMessage {
  std::string content = {};
  bool is_text = true;
  friend bool operator==(const RawMessage&, const RawMessage&) = default;
};

/// The messages of a direction that has none.
struct NoMessage {};

/// What the service did not accept of a message that was sent.
struct SocketFailure {
  std::string message = {};
  std::string received = {};  ///< the type of the message, if the service knows it
  std::vector<FieldError> errors = {};
};

/// What a socket and the functions of its options can do with it. Thread-safe. Must not be used
/// after the socket has been destroyed.
class SocketControl {
 public:
  explicit SocketControl(detail::SocketLoop* loop) : loop_(loop) {}

  /// Whether it is connected now.
  bool is_open() const { return loop_->is_open(); }
  /// Closes the socket after what has been sent, without a wait: with 1000, or a code from 3000 to
  /// 4999. Throws std::invalid_argument for others. It does not connect again.
  void close(int code = 1000, std::string reason = {}) const {
    loop_->close(code, std::move(reason));
  }

 protected:
  detail::SocketLoop* loop_;
};

/// Sends the messages of a socket: `send` takes one of the types of `Sends`, a std::variant.
template <class Sends>
class SocketSender : public SocketControl {
 public:
  using SocketControl::SocketControl;

  /// Never waits: a message that the service has not accepted yet waits for that, or for another
  /// connection. Throws SocketClosed, or the error that has ended the socket, when it has ended;
  /// TransportError if more than 16 MiB wait; std::invalid_argument for a string that is not UTF-8.
  void send(const Sends& message) const {
    const std::string text = std::visit(
        [this](const auto& each) {
          Json json = detail::encode(each.data);
          if (json.is_null()) json = Json::object();
          if (!json.is_object()) throw invalid("is no object");
          json["type"] = each.fw_type;
          try {
            return json.dump();
          } catch (const Json::type_error&) {
            throw invalid("has a string that is not UTF-8");
          }
        },
        message);
    loop_->send(detail::Opcode::text, text);
  }

 private:
  std::invalid_argument invalid(const char* error) const {
    return std::invalid_argument(std::string(loop_->operation()) + ": a message " + error);
  }
};

template <>
class SocketSender<RawMessage> : public SocketControl {
 public:
  using SocketControl::SocketControl;

  /// As `SocketSender::send`.
  void send_text(std::string_view text) const {
    if (!detail::is_utf8(text)) {
      throw std::invalid_argument(std::string(loop_->operation()) + ": a text is not UTF-8");
    }
    loop_->send(detail::Opcode::text, text);
  }
  void send_binary(std::string_view bytes) const { loop_->send(detail::Opcode::binary, bytes); }
};

template <>
class SocketSender<NoMessage> : public SocketControl {
 public:
  using SocketControl::SocketControl;
};

/// Options of one socket. The functions are called on the thread of the socket, one at a time, so
/// that they delay its messages. What they throw ends the socket. When one of them has destroyed
/// the socket, none is called any more.
template <class Sends, class Receives>
struct SocketOptions {
  std::stop_token stop = {};  ///< ends the socket, at any time and from any thread
  /// Limit for the opening of each connection, instead of ClientOptions::timeout.
  std::optional<std::chrono::milliseconds> timeout = {};
  std::string request_id = {};  ///< instead of ClientOptions::request_id
  Headers headers = {};         ///< take precedence over all other headers
  /// Whether the socket connects again after its connection was lost, or the service has gone away,
  /// restarts or is overloaded: with the delays of RetryOptions. Messages of the service in between
  /// are lost.
  bool reconnect = false;
  /// How often in a row it connects again without receiving a message or being open for
  /// `RetryOptions::longest_delay`. Empty: `RetryOptions::max_retries` until the socket has been
  /// open, and then no limit.
  std::optional<int> max_reconnects = {};
  /// Bytes of a message of the service; a larger one ends the socket.
  std::size_t max_message = std::size_t{16} << 20U;
  /// Called each time when the socket is open: the service does not know earlier connections. What
  /// it sends comes before messages that wait for the connection.
  std::function<void(const SocketSender<Sends>&)> on_open = {};
  /// Called with each message, which the range of the socket does not have then.
  std::function<void(const Receives&, const SocketSender<Sends>&)> on_message = {};
  /// Called when the service has not accepted a message that was sent.
  std::function<void(const SocketFailure&, const SocketSender<Sends>&)> on_failure = {};
  /// Called once, when a socket that has been open has ended, unless one of these functions has
  /// destroyed it.
  std::function<void(const SocketClose&)> on_close = {};
};

namespace detail {

/// How the messages of a variant are read: `value` is set to one of them if the type is known.
template <class Receives>
struct MessageReader;

template <class... Messages>
struct MessageReader<std::variant<Messages...>> {
  static void read(std::string_view type, const Json& json,
                   std::optional<std::variant<Messages...>>& value) {
    (try_message<Messages>(type, json, value), ...);
  }

 private:
  template <class Message>
  static void try_message(std::string_view type, const Json& json,
                          std::optional<std::variant<Messages...>>& value) {
    if (type != Message::fw_type) return;
    using Data = decltype(Message::data);
    value.emplace(std::in_place_type<Message>, Message{.data = decode<Data>(json)});
  }
};

template <>
struct MessageReader<NoMessage> {
  static void read(std::string_view, const Json&, std::optional<NoMessage>&) {}
};

/// A socket, with the messages that wait for the range.
template <class Sends, class Receives>
class SocketState final : public SocketLoop {
 public:
  using Options = SocketOptions<Sends, Receives>;

  SocketState(const Transport& transport, Call call, std::vector<std::string> protocols,
              const Options& options)
      : SocketLoop(transport.service(), std::move(call),
                   {.stop = options.stop,
                    .timeout = options.timeout,
                    .request_id = options.request_id,
                    .headers = options.headers,
                    .protocols = std::move(protocols),
                    .reconnect = options.reconnect,
                    .max_reconnects = options.max_reconnects,
                    .max_message = options.max_message}),
        options_(options),
        sender_(this) {}

  /// The next message, for which it waits. Empty at the end.
  std::optional<Receives> take() {
    std::unique_lock lock(mutex_);
    check_thread("next");
    changed_.wait(lock, [this] { return !messages_.empty() || has_ended_; });
    if (!messages_.empty()) {
      const bool was_full = is_full();
      auto [message, size] = std::move(messages_.front());
      messages_.pop_front();
      waiting_ -= size;
      lock.unlock();
      if (was_full) waker_.wake();
      return std::move(message);
    }
    if (error_ && !std::exchange(is_error_seen_, true)) std::rethrow_exception(error_);
    return std::nullopt;
  }

 private:
  void opened() override { call_back(options_.on_open, sender_); }
  void closed(const SocketClose& close) override { call_back(options_.on_close, close); }

  bool has_room() override {
    const std::lock_guard lock(mutex_);
    return !is_full();
  }
  bool is_full() const {
    constexpr std::size_t kMaxMessages = 1000;
    constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
    return messages_.size() >= kMaxMessages || waiting_ >= kMaxBytes;
  }

  void receive(std::string content, bool is_text) override {
    const std::size_t size = content.size();
    std::optional<Receives> message = read(std::move(content), is_text);
    if (!message) return;
    if (options_.on_message) return call_back(options_.on_message, *message, sender_);
    const std::lock_guard lock(mutex_);
    messages_.emplace_back(*std::move(message), size);
    waiting_ += size;
    changed_.notify_all();
  }

  /// Empty for one that is not for the caller: a later version of the service may have others.
  std::optional<Receives> read(std::string content, bool is_text) {
    if constexpr (std::is_same_v<Receives, RawMessage>) {
      return RawMessage{.content = std::move(content), .is_text = is_text};
    } else {
      if (!is_text) fail_message("is not text");
      bool is_too_deep = false;
      Json json = parse_tree(content, is_too_deep);
      if (is_too_deep) fail_message("is nested more than 512 levels deep");
      const auto found = json.is_object() ? json.find("type") : json.end();
      if (found == json.end() || !found->is_string()) fail_message("is no object with a type");
      const auto type = found->template get<std::string>();
      if (type == "error") {
        call_back(options_.on_failure, read_failure(json), sender_);
        return std::nullopt;
      }
      json.erase(found);  // it is no member of the data
      std::optional<Receives> message;
      try {
        MessageReader<Receives>::read(type, json, message);
      } catch (const Mismatch& mismatch) {
        fail_message("'" + type + "' does not match the document: " + mismatch.text());
      }
      return message;
    }
  }

  static SocketFailure read_failure(const Json& json) {
    SocketFailure failure;
    read_string(json, "message", failure.message);
    read_string(json, "received", failure.received);
    const auto errors = json.find("errors");
    if (errors != json.end() && errors->is_array()) failure.errors = read_field_errors(*errors);
    return failure;
  }

  const Options options_;
  const SocketSender<Sends> sender_;
  std::deque<std::pair<Receives, std::size_t>> messages_;  ///< with their sizes
  std::size_t waiting_ = 0;                                ///< bytes of them
};

}  // namespace detail

/// A socket: messages in both directions. The messages of the service are a range, or go to
/// `SocketOptions::on_message`.
///
///   for (const auto& message : socket) { … }
///
/// The loop ends when the socket is closed with 1000 or 1001, or by this side; otherwise it throws
/// a SocketClosed or a TransportError. The messages that wait for the loop are limited: the client
/// does not read from the service meanwhile. May outlive its client. Thread-safe, but for moving
/// and destroying it.
template <class Sends, class Receives>
class Socket : public SocketSender<Sends> {
 public:
  using Options = SocketOptions<Sends, Receives>;

  /// For generated code: opens the socket, and waits for that.
  Socket(const detail::Transport& transport, detail::Call call, std::vector<std::string> protocols,
         const Options& options)
      : Socket(std::make_shared<State>(transport, std::move(call), std::move(protocols), options)) {
    State::start(state_);
  }
  /// Closes the socket with 1000 if it is open, and waits for that: two seconds at most.
  ~Socket() {
    if (state_) state_->end();
  }
  Socket(Socket&&) noexcept = default;
  Socket& operator=(Socket&& other) noexcept {
    Socket old(std::move(other));
    std::swap(state_, old.state_);
    std::swap(this->loop_, old.loop_);
    return *this;
  }

  /// The next message, for which it waits; empty at the end of the socket. Throws std::logic_error
  /// in a function of the options, which it would wait for.
  std::optional<Receives> next() { return state_->take(); }

  using Iterator = detail::ItemIterator<Socket, Receives>;
  /// Only once.
  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

  /// Waits until the socket has ended, and returns how it was closed. Throws std::logic_error in a
  /// function of the options other than `on_close`.
  SocketClose closed() { return state_->wait_closed(); }

 private:
  using State = detail::SocketState<Sends, Receives>;

  explicit Socket(std::shared_ptr<State> state)
      : SocketSender<Sends>(state.get()), state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};
