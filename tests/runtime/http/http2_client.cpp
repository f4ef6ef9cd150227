#include "http2_client.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <nghttp2/nghttp2.h>
#include <vector>

namespace fw::http::test {

struct ClientCallbacks {
  static Http2Client& client_of(void* data) { return *static_cast<Http2Client*>(data); }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* data) {
    auto& response = client_of(data).streams_[frame->hd.stream_id].response;
    const std::string_view key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":status") {
      response.status = std::stoi(text);
    } else {
      response.fields.add(key, text);
    }
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    Http2Client& client = client_of(data);
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS: {
        auto& response = client.streams_[frame->hd.stream_id].response;
        response.has_continue = response.has_continue || response.status == 100;
        response.has_head = response.status >= 200;
        break;
      }
      case NGHTTP2_RST_STREAM:
        client.streams_[frame->hd.stream_id].response.reset = frame->rst_stream.error_code;
        break;
      default:
        break;
    }
    const bool has_content = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (has_content && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      client.streams_[frame->hd.stream_id].response.is_complete = true;
    }
    return 0;
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* bytes,
                     std::size_t size, void* data) {
    client_of(data).streams_[stream].response.body.append(reinterpret_cast<const char*>(bytes),
                                                          size);
    return 0;
  }

  static int on_close(nghttp2_session*, std::int32_t stream, std::uint32_t, void* data) {
    client_of(data).streams_[stream].response.is_closed = true;
    return 0;
  }

  static ssize_t read_body(nghttp2_session*, std::int32_t id, std::uint8_t* buffer,
                           std::size_t size, std::uint32_t* flags, nghttp2_data_source*,
                           void* data) {
    auto& stream = client_of(data).streams_[id];
    const std::size_t taken = std::min(size, stream.body.size());
    if (taken == 0 && !stream.is_last) {
      stream.is_deferred = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    std::memcpy(buffer, stream.body.data(), taken);
    stream.body.erase(0, taken);
    if (stream.body.empty() && stream.is_last) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(taken);
  }
};

Http2Client::Http2Client(std::uint16_t port, const Http2ClientOptions& options,
                         const std::function<std::unique_ptr<ClientChannel>(int)>& open_channel)
    : socket_(port, options.receive_buffer) {
  if (open_channel) channel_ = open_channel(socket_.fd());
  nghttp2_session_callbacks* made = nullptr;
  nghttp2_session_callbacks_new(&made);
  const std::unique_ptr<nghttp2_session_callbacks, decltype(&nghttp2_session_callbacks_del)>
      callbacks(made, nghttp2_session_callbacks_del);
  nghttp2_session_callbacks_set_on_header_callback(made, ClientCallbacks::on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, ClientCallbacks::on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, ClientCallbacks::on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, ClientCallbacks::on_close);
  nghttp2_option* choices = nullptr;
  nghttp2_option_new(&choices);
  nghttp2_option_set_no_auto_window_update(choices, options.reads_automatically ? 0 : 1);
  constexpr std::size_t kMaxHead = 100'000'000;
  nghttp2_option_set_max_send_header_block_length(choices, kMaxHead);
  nghttp2_session_client_new2(&session_, made, this, choices);
  nghttp2_option_del(choices);
  const std::array<nghttp2_settings_entry, 2> settings = {
      {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.window},
       {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, options.no_old_priorities.value_or(0)}}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(),
                          options.no_old_priorities ? settings.size() : 1);
  flush();
}

Http2Client::~Http2Client() { nghttp2_session_del(session_); }

namespace {

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

std::int32_t Http2Client::begin(std::string_view method, std::string_view path,
                                const Fields& fields, bool has_body) {
  std::vector<nghttp2_nv> list;
  const auto add = [&](std::string_view name, std::string_view value) {
    list.push_back(field(name, value));
  };
  add(":method", method);
  if (!fields.find(":scheme")) add(":scheme", "http");
  if (!fields.find(":authority")) add(":authority", "a");
  add(":path", path);
  for (const auto& [name, value] : fields) add(name, value);
  nghttp2_data_provider provider{{}, ClientCallbacks::read_body};
  const auto stream = nghttp2_submit_request(session_, nullptr, list.data(), list.size(),
                                             has_body ? &provider : nullptr, nullptr);
  streams_[stream];
  flush();
  return stream;
}

void Http2Client::send_body(std::int32_t id, std::string_view bytes, bool is_last) {
  Stream& stream = streams_[id];
  stream.body += bytes;
  stream.is_last = is_last;
  if (std::exchange(stream.is_deferred, false)) nghttp2_session_resume_data(session_, id);
  flush();
}

void Http2Client::send_trailers(std::int32_t stream, const Fields& fields) {
  std::vector<nghttp2_nv> list;
  for (const auto& [name, value] : fields) list.push_back(field(name, value));
  nghttp2_submit_trailer(session_, stream, list.data(), list.size());
  flush();
}

void Http2Client::cancel(std::int32_t stream, std::uint32_t error_code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, error_code);
  flush();
}

void Http2Client::enlarge_window(std::int32_t stream, std::int32_t size) {
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, stream, size);
  flush();
}

bool Http2Client::send_bytes(std::string_view bytes) {
  if (!channel_) return socket_.send(bytes);
  while (!bytes.empty()) {
    const auto sent = channel_->send(bytes);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string Http2Client::frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                               std::string_view payload) {
  std::string bytes;
  const auto put = [&](std::size_t number, int size) {
    while (size-- > 0) bytes += static_cast<char>(number >> 8 * size & 0xFF);
  };
  put(payload.size(), 3);
  put(type, 1);
  put(flags, 1);
  put(stream, 4);
  return bytes.append(payload);
}

void Http2Client::flush() {
  const std::uint8_t* data = nullptr;
  while (true) {
    const auto size = nghttp2_session_mem_send(session_, &data);
    if (size <= 0) return;
    if (is_holding_) {
      held_.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
      continue;
    }
    send_bytes({reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)});
  }
}

void Http2Client::send_held() { send_bytes(take_held()); }

std::string Http2Client::take_held() {
  is_holding_ = false;
  return std::exchange(held_, {});
}

/// Finds GOAWAY and PING, which the library does not report after an error of its own.
void Http2Client::read_frames(std::string_view bytes) {
  constexpr std::size_t kHead = 9;
  frames_ += bytes;
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    while (size-- > 0) value = value << 8U | static_cast<unsigned char>(frames_[at++]);
    return value;
  };
  while (frames_.size() >= kHead && frames_.size() >= kHead + number(0, 3)) {
    if (frames_[3] == NGHTTP2_GOAWAY) {
      last_stream_ = static_cast<std::int32_t>(number(kHead, 4));
      goaway_ = number(kHead + 4, 4);
    }
    if (frames_[3] == NGHTTP2_PING && (frames_[4] & NGHTTP2_FLAG_ACK) != 0) ++ping_acks_;
    frames_.erase(0, kHead + number(0, 3));
  }
}

bool Http2Client::receive() {
  if (is_over_) return false;
  char buffer[16 * 1024];
  const auto size = channel_ ? channel_->receive(buffer, sizeof buffer)
                             : recv(socket_.fd(), buffer, sizeof buffer, 0);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    throw std::runtime_error("the server sends nothing");
  }
  is_over_ = size <= 0;
  if (is_over_) return false;
  read_frames({buffer, static_cast<std::size_t>(size)});
  nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(buffer),
                           static_cast<std::size_t>(size));
  flush();
  return true;
}

bool Http2Client::receive_until(const std::function<bool()>& condition) {
  while (!condition()) {
    if (!receive()) return condition();
  }
  return true;
}

void Http2Client::receive_all() {
  while (receive()) {
  }
}

Http2Response& Http2Client::wait(std::int32_t stream) {
  Http2Response& response = streams_[stream].response;
  receive_until([&] { return response.is_closed || response.is_complete; });
  return response;
}

std::uint32_t Http2Client::max_concurrent_streams() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

void Http2Client::close() {
  is_over_ = true;
  socket_.close();
}

}  // namespace fw::http::test
