namespace detail {

/// Splits a body that arrives in parts into lines, which end with CR LF, LF or CR.
class LineSplitter {
 public:
  /// What a line may have at most.
  static constexpr std::size_t kMaxLine = std::size_t{16} << 20U;

  /// Calls `handle` with each line until it returns false. Returns false then.
  template <class Handle>
  bool push(std::string_view part, const Handle& handle) {
    while (!part.empty()) {
      if (std::exchange(follows_return_, false) && part.front() == '\n') {
        part.remove_prefix(1);
        continue;
      }
      const std::size_t end = std::min(part.find_first_of("\r\n"), part.size());
      line_ += part.substr(0, end);
      if (end == part.size()) return true;
      follows_return_ = part[end] == '\r';
      part.remove_prefix(end + 1);
      if (!handle(std::exchange(line_, {}))) return false;
    }
    return true;
  }
  /// The line that has not ended.
  const std::string& rest() const { return line_; }

 private:
  std::string line_;
  bool follows_return_ = false;
};

/// An event as it is sent.
struct SentEvent {
  std::string name;
  std::string data;
  std::string id;
};

/// Reads server-sent events, as the HTML standard of the WHATWG parses them.
class EventParser {
 public:
  explicit EventParser(std::string last_event_id = {})
      : last_event_id_(std::move(last_event_id)), id_(last_event_id_) {}

  /// Begins another connection. An event that the last one has not completed is lost: the service
  /// sends it again.
  void begin() {
    lines_ = {};
    is_first_ = true;
    id_ = last_event_id_;
    clear();
  }

  /// Calls `handle` with each event until it returns false. Returns false then.
  template <class Handle>
  bool push(std::string_view part, const Handle& handle) {
    return lines_.push(part, [&](std::string line) {
      constexpr std::string_view kMark = "\xEF\xBB\xBF";
      if (std::exchange(is_first_, false) && line.starts_with(kMark)) line.erase(0, kMark.size());
      if (line.empty()) return dispatch(handle);
      if (line.front() != ':') read_field(line);
      return true;
    });
  }

  /// Bytes of the event that has not been completed.
  std::size_t pending() const { return data_.size() + lines_.rest().size(); }
  const std::string& last_event_id() const { return last_event_id_; }
  /// How long the service asks clients to wait before another connection.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  void read_field(std::string_view line) {
    const std::string_view name = take_part(line, ":");
    const std::string_view value = line.substr(line.starts_with(' ') ? 1 : 0);
    if (name == "event") {
      name_ = value;
    } else if (name == "data") {
      data_ += value;
      data_ += '\n';
    } else if (name == "id") {
      if (value.find('\0') == value.npos) id_ = value;
    } else if (name == "retry") {
      std::int64_t milliseconds = 0;
      const bool has_digits = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), milliseconds);
      if (has_digits && error == std::errc()) retry_ = std::chrono::milliseconds(milliseconds);
    }
  }

  template <class Handle>
  bool dispatch(const Handle& handle) {
    last_event_id_ = id_;
    SentEvent event{
        .name = name_.empty() ? "message" : std::move(name_), .data = std::move(data_), .id = id_};
    clear();
    if (event.data.empty()) return true;
    event.data.pop_back();
    return handle(std::move(event));
  }

  void clear() {
    name_.clear();
    data_.clear();
  }

  LineSplitter lines_;
  bool is_first_ = true;
  std::string last_event_id_;
  std::optional<std::chrono::milliseconds> retry_;
  // The event that is being read.
  std::string id_;
  std::string name_;
  std::string data_;
};

/// Reads the items of a stream, over several connections.
class StreamReader {
 public:
  StreamReader() = default;
  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;
  virtual ~StreamReader() = default;

  virtual const char* media_type() const = 0;
  /// Whether another connection continues the stream.
  virtual bool resumes() const = 0;
  virtual std::optional<std::chrono::milliseconds> retry() const { return std::nullopt; }
  /// Begins a connection, and adds to the headers of its request.
  virtual void begin(Headers& headers) = 0;
  /// False: the caller wants no more items.
  virtual bool push(std::string_view part) = 0;
  virtual void end() {}
  /// Items so far.
  std::size_t count() const { return count_; }

 protected:
  std::size_t count_ = 0;
};

/// How the events with one name are read.
template <class Event>
struct EventKind {
  std::string_view name;
  Event (*read)(const Received& data, std::string id);
};

template <class Event>
class EventReader : public StreamReader {
 public:
  using Handle = std::function<bool(Event)>;

  EventReader(const char* operation, std::span<const EventKind<Event>> kinds,
              std::string last_event_id, const Handle& handle)
      : operation_(operation), kinds_(kinds), parser_(std::move(last_event_id)), handle_(handle) {}

  const char* media_type() const override { return "text/event-stream"; }
  bool resumes() const override { return true; }
  std::optional<std::chrono::milliseconds> retry() const override { return parser_.retry(); }
  void begin(Headers& headers) override {
    parser_.begin();
    if (!parser_.last_event_id().empty()) {
      headers.emplace_back("Last-Event-ID", parser_.last_event_id());
    }
  }
  bool push(std::string_view part) override {
    const bool wants_more = parser_.push(part, [this](SentEvent event) { return read(event); });
    if (parser_.pending() > LineSplitter::kMaxLine) {
      Received{.operation = operation_}.fail("has an event of more than 16 MiB");
    }
    return wants_more;
  }

 private:
  bool read(SentEvent& event) {
    ++count_;
    const auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                                   [&](const auto& each) { return each.name == event.name; });
    // A later version of the service may have other events.
    if (kind == kinds_.end()) return true;
    const Received data{.operation = operation_, .body = std::move(event.data)};
    return handle_(kind->read(data, std::move(event.id)));
  }

  const char* operation_;
  std::span<const EventKind<Event>> kinds_;
  EventParser parser_;
  const Handle& handle_;
};

/// JSON, one value in each line.
template <class Item>
class LineReader : public StreamReader {
 public:
  using Handle = std::function<bool(Item)>;

  LineReader(const char* operation, const Handle& handle)
      : operation_(operation), handle_(handle) {}

  const char* media_type() const override { return "application/x-ndjson"; }
  bool resumes() const override { return false; }
  void begin(Headers&) override { lines_ = {}; }
  bool push(std::string_view part) override {
    const bool wants_more = lines_.push(part, [this](std::string line) { return read(line); });
    if (lines_.rest().size() > LineSplitter::kMaxLine) {
      Received{.operation = operation_}.fail("has a line of more than 16 MiB");
    }
    return wants_more;
  }
  void end() override { read(lines_.rest()); }

 private:
  bool read(std::string line) {
    if (line.find_first_not_of(" \t") == line.npos) return true;
    ++count_;
    return handle_(read_body<Item>(Received{.operation = operation_, .body = std::move(line)}));
  }

  const char* operation_;
  LineSplitter lines_;
  const Handle& handle_;
};

}  // namespace detail
