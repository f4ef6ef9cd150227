// With FAIRWAY_TEST_ENGINE=http2, all clients of the adapter's tests speak HTTP/2: what they send
// and read as HTTP/1.1 is translated below them.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <nghttp2/nghttp2.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "http/websocket/handshake.hpp"
#include "loopback.hpp"

namespace fw::http::test {
namespace {

/// A request and its response.
struct TranslatedExchange {
  // The request:
  std::string body;  ///< that waits for the window
  bool has_end = false;
  bool is_deferred = false;

  // The response:
  std::string method;
  std::string text;  ///< as HTTP/1.1
  int status = 0;
  Fields fields;
  bool has_head = false;
  bool is_chunked = false;
  bool is_complete = false;
  bool is_closed = false;
  std::string accept;  ///< Sec-WebSocket-Accept, if it is to become a socket (RFC 8441)
};

class Http2Channel final : public ClientChannel {
 public:
  explicit Http2Channel(int fd) : fd_(fd) {
    nghttp2_session_callbacks* made = nullptr;
    nghttp2_session_callbacks_new(&made);
    nghttp2_session_callbacks_set_on_header_callback(made, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, on_close);
    nghttp2_session_client_new(&session_, made, this);
    nghttp2_session_callbacks_del(made);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
    flush();
  }
  ~Http2Channel() override { nghttp2_session_del(session_); }
  Http2Channel(const Http2Channel&) = delete;
  Http2Channel& operator=(const Http2Channel&) = delete;

  ssize_t send(std::string_view bytes) override {
    {
      const std::lock_guard lock(mutex_);
      input_ += bytes;
      while (translate_next()) {
      }
      if (!flush()) return -1;
    }
    // The rest waits for the window: whoever receives sends it.
    while (has_unsent()) {
      const std::lock_guard receiving(receive_mutex_);
      if (has_unsent() && receive_frames() <= 0) return -1;
    }
    return static_cast<ssize_t>(bytes.size());
  }

  ssize_t receive(char* buffer, std::size_t size) override {
    while (true) {
      const std::lock_guard receiving(receive_mutex_);
      {
        const std::lock_guard lock(mutex_);
        while (!order_.empty()) {
          TranslatedExchange& first = *order_.front();
          const auto taken = first.text.copy(buffer, size);
          if (taken > 0) {
            first.text.erase(0, taken);
            return static_cast<ssize_t>(taken);
          }
          if (!first.is_closed) break;
          if (!first.is_complete) {
            // The stream was reset, which is here the end of the connection.
            errno = ECONNRESET;
            return -1;
          }
          order_.pop_front();
        }
      }
      const auto received = receive_frames();
      if (received <= 0) return received;
    }
  }

  void end_sending() override {}

 private:
  bool has_unsent() {
    const std::lock_guard lock(mutex_);
    return current_ != nullptr && !current_->body.empty() && !current_->is_closed;
  }
  static std::string_view view_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
  }
  static Http2Channel& channel_of(void* data) { return *static_cast<Http2Channel*>(data); }
  static TranslatedExchange& exchange_of(void* data, std::int32_t id) {
    return *channel_of(data).exchanges_.at(id);
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* data) {
    TranslatedExchange& exchange = exchange_of(data, frame->hd.stream_id);
    if (view_of(name, name_size) == ":status") {
      exchange.status = std::stoi(std::string(view_of(value, value_size)));
    } else {
      exchange.fields.add(view_of(name, name_size), view_of(value, value_size));
    }
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    const auto type = frame->hd.type;
    if (type != NGHTTP2_HEADERS && type != NGHTTP2_DATA) return 0;
    TranslatedExchange& exchange = exchange_of(data, frame->hd.stream_id);
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (type == NGHTTP2_HEADERS && !exchange.has_head) write_head(exchange, ends);
    if (!ends) return 0;
    exchange.is_complete = true;
    if (exchange.is_chunked) exchange.text += "0\r\n\r\n";
    return 0;
  }

  static void write_head(TranslatedExchange& exchange, bool ends) {
    const bool is_opened = !exchange.accept.empty() && exchange.status == 200;
    exchange.text +=
        "HTTP/1.1 " + std::to_string(is_opened ? 101 : exchange.status) + " Status\r\n";
    if (is_opened) {
      exchange.text +=
          "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + exchange.accept +
          "\r\n";
    }
    for (const auto& [name, value] : exchange.fields) {
      exchange.text.append(name).append(": ").append(value).append("\r\n");
    }
    exchange.has_head = exchange.status >= 200;
    exchange.is_chunked =
        exchange.has_head && !is_opened && !ends && !exchange.fields.find("content-length");
    if (exchange.is_chunked) exchange.text += "transfer-encoding: chunked\r\n";
    exchange.text += "\r\n";
    exchange.fields = {};
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                     std::size_t size, void* data) {
    TranslatedExchange& exchange = exchange_of(data, id);
    if (exchange.is_chunked && size > 0) {
      char digits[17];
      std::snprintf(digits, sizeof digits, "%zx", size);
      exchange.text.append(digits).append("\r\n").append(view_of(bytes, size)).append("\r\n");
    } else {
      exchange.text.append(view_of(bytes, size));
    }
    return 0;
  }

  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* data) {
    exchange_of(data, id).is_closed = true;
    return 0;
  }

  static ssize_t read_body(nghttp2_session*, std::int32_t id, std::uint8_t* buffer,
                           std::size_t size, std::uint32_t* flags, nghttp2_data_source*,
                           void* data) {
    TranslatedExchange& exchange = exchange_of(data, id);
    const std::size_t taken = std::min(size, exchange.body.size());
    if (taken == 0 && !exchange.has_end) {
      exchange.is_deferred = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    std::memcpy(buffer, exchange.body.data(), taken);
    exchange.body.erase(0, taken);
    if (exchange.body.empty() && exchange.has_end) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(taken);
  }

  /// Translates the next head or piece of a body. False if there is none.
  bool translate_next() {
    if (!current_) return begin_request();
    if (input_.empty()) return false;
    if (!is_chunked_) {
      const auto taken = std::min<std::uint64_t>(rest_, input_.size());
      rest_ -= taken;
      add_body(static_cast<std::size_t>(taken), rest_ == 0);
      return true;
    }
    if (rest_ > 0) {
      // The line break after the data counts as a part of it.
      const auto taken = std::min<std::uint64_t>(rest_, input_.size());
      const auto data = std::min<std::uint64_t>(taken, rest_ > 2 ? rest_ - 2 : 0);
      rest_ -= taken;
      input_.erase(static_cast<std::size_t>(data), static_cast<std::size_t>(taken - data));
      add_body(static_cast<std::size_t>(data), false);
      return true;
    }
    const auto line_end = input_.find("\r\n");
    if (line_end == std::string::npos) return false;
    const auto size = std::stoull(input_, nullptr, 16);
    if (size == 0) {
      const auto end = input_.find("\r\n\r\n");
      if (end == std::string::npos) return false;
      input_.erase(0, end + 4);
      add_body(0, true);
      return true;
    }
    input_.erase(0, line_end + 2);
    rest_ = size + 2;
    return true;
  }

  bool begin_request() {
    const auto end = input_.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const std::string head = input_.substr(0, end + 2);
    input_.erase(0, end + 4);
    auto exchange = std::make_shared<TranslatedExchange>();
    const auto method_end = head.find(' ');
    const auto target_end = head.find(' ', method_end + 1);
    exchange->method = head.substr(0, method_end);
    Fields fields;
    std::string authority = "a";
    std::optional<std::uint64_t> length;
    is_chunked_ = false;
    std::string_view lines = std::string_view(head).substr(head.find("\r\n") + 2);
    while (!lines.empty()) {
      const auto line = lines.substr(0, lines.find("\r\n"));
      lines.remove_prefix(line.size() + 2);
      const auto name = line.substr(0, line.find(':'));
      auto value = line.substr(name.size() + 1);
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      value = value.substr(0, value.find_last_not_of(' ') + 1);
      if (base::equal_ignoring_case(name, "host")) {
        authority = value;
      } else if (base::equal_ignoring_case(name, "transfer-encoding")) {
        is_chunked_ = true;
      } else if (!base::equal_ignoring_case(name, "connection")) {
        if (base::equal_ignoring_case(name, "content-length")) {
          length = std::stoull(std::string(value));
        }
        fields.add(name, value);
      }
    }
    const bool opens_socket = take_upgrade(fields, *exchange);
    rest_ = is_chunked_ ? 0 : length.value_or(opens_socket ? ~std::uint64_t{0} : 0);
    const bool has_body = is_chunked_ || rest_ > 0;
    submit(*exchange, head.substr(method_end + 1, target_end - method_end - 1), authority, fields,
           has_body);
    exchanges_[id_] = exchange;
    order_.push_back(exchange);
    if (has_body) current_ = exchange;
    return true;
  }

  /// Removes the fields of HTTP/1.1 from a request for a socket. False if it is none.
  static bool take_upgrade(Fields& fields, TranslatedExchange& exchange) {
    const auto upgrade = fields.find("upgrade");
    const auto key = fields.find("sec-websocket-key");
    const bool is_one = exchange.method == "GET" && key && upgrade &&
                        base::equal_ignoring_case(*upgrade, "websocket");
    if (is_one) exchange.accept = websocket::accept_key(*key);
    fields.remove("upgrade");
    if (is_one) fields.remove("sec-websocket-key");
    return is_one;
  }

  void submit(const TranslatedExchange& exchange, std::string_view target,
              std::string_view authority, const Fields& fields, bool has_body) {
    std::vector<nghttp2_nv> list;
    const auto add = [&](std::string_view name, std::string_view value) {
      const auto bytes = [](std::string_view text) {
        return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
      };
      list.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    };
    add(":method", exchange.accept.empty() ? std::string_view(exchange.method) : "CONNECT");
    if (!exchange.accept.empty()) add(":protocol", "websocket");
    add(":scheme", "http");
    add(":authority", authority);
    add(":path", target);
    for (const auto& [name, value] : fields) add(name, value);
    const nghttp2_data_provider provider{{}, read_body};
    id_ = nghttp2_submit_request(session_, nullptr, list.data(), list.size(),
                                 has_body ? &provider : nullptr, nullptr);
  }

  void add_body(std::size_t size, bool is_last) {
    if (!current_->is_closed) current_->body.append(input_, 0, size);
    input_.erase(0, size);
    current_->has_end = is_last;
    if (std::exchange(current_->is_deferred, false)) nghttp2_session_resume_data(session_, id_);
    if (is_last) current_.reset();
  }

  bool flush() {
    const std::uint8_t* data = nullptr;
    while (true) {
      const auto size = nghttp2_session_mem_send(session_, &data);
      if (size <= 0) return size == 0;
      auto bytes = view_of(data, static_cast<std::size_t>(size));
      while (!bytes.empty()) {
        const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
  }

  /// Like recv(2).
  ssize_t receive_frames() {
    char buffer[64 * 1024];
    const auto size = recv(fd_, buffer, sizeof buffer, 0);
    if (size <= 0) return size;
    const std::lock_guard lock(mutex_);
    nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(buffer),
                             static_cast<std::size_t>(size));
    flush();
    return size;
  }

  const int fd_;
  std::mutex receive_mutex_;  ///< of the thread that receives
  std::mutex mutex_;          ///< guards the rest
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::shared_ptr<TranslatedExchange>> exchanges_;
  std::deque<std::shared_ptr<TranslatedExchange>> order_;  ///< whose responses have not been read
  std::string input_;                                      ///< that is not translated
  std::shared_ptr<TranslatedExchange> current_;            ///< whose body is being sent
  std::int32_t id_ = 0;                                    ///< of the last request
  bool is_chunked_ = false;
  std::uint64_t rest_ = 0;  ///< of the body or chunk
};

const bool g_uses_http2 = [] {
  if (!tests_http2()) return false;
  open_client_channel = [](int fd) -> std::unique_ptr<ClientChannel> {
    return std::make_unique<Http2Channel>(fd);
  };
  return true;
}();

}  // namespace
}  // namespace fw::http::test
