#include "support/http2_upstream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <csignal>
#include <cstring>
#include <map>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace fw::support {
namespace {

using Fields = Http2Exchange::Fields;

nghttp2_nv pair_of(const std::pair<std::string, std::string>& field) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(field.first), bytes(field.second), field.first.size(), field.second.size(),
          NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> pairs_of(const Fields& fields) {
  std::vector<nghttp2_nv> pairs;
  for (const auto& field : fields) pairs.push_back(pair_of(field));
  return pairs;
}

Fields with_status(int status, const Fields& fields) {
  Fields all = {{":status", std::to_string(status)}};
  all.insert(all.end(), fields.begin(), fields.end());
  return all;
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  constexpr std::string_view kOwn = "\x02h2\x08http/1.1";
  const int result = SSL_select_next_proto(const_cast<unsigned char**>(chosen), size,
                                           reinterpret_cast<const unsigned char*>(kOwn.data()),
                                           kOwn.size(), offered, offered_size);
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

class Http2Exchange::Session {
 public:
  Session(Http2Upstream& upstream, SSL* ssl, int connection)
      : upstream_(upstream), ssl_(ssl), connection_(connection) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, &Session::on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &Session::on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Session::on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Session::on_frame);
    nghttp2_option* options = nullptr;
    nghttp2_option_new(&options);
    nghttp2_option_set_max_send_header_block_length(options, std::size_t{1024} * 1024);
    nghttp2_session_server_new2(&session_, callbacks, this, options);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~Session() { nghttp2_session_del(session_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run() {
    std::array<unsigned char, 16 * 1024> buffer;
    while (send() && !closes_) {
      const int count = SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size()));
      if (count <= 0) return;
      if (nghttp2_session_mem_recv(session_, buffer.data(), static_cast<std::size_t>(count)) < 0) {
        return;
      }
    }
  }

 private:
  friend class Http2Exchange;

  struct Stream {
    explicit Stream(Http2Exchange exchange_of_it) : exchange(std::move(exchange_of_it)) {}
    Http2Exchange exchange;
    std::string body;
    std::size_t sent = 0;
    bool ends = true;
    Fields trailers;
  };

  static Session& of(void* session) { return *static_cast<Session*>(session); }

  bool send() {
    // Together, so that a record of TLS may have the head and the body of a response.
    std::string frames;
    const std::uint8_t* bytes = nullptr;
    for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_, &bytes)) != 0;) {
      if (size < 0) return false;
      frames.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    }
    return frames.empty() || SSL_write(ssl_, frames.data(), static_cast<int>(frames.size())) > 0;
  }

  static int on_begin(nghttp2_session*, const nghttp2_frame* frame, void* session) {
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    Session& self = of(session);
    Http2Exchange exchange(self, frame->hd.stream_id);
    exchange.index_ = self.requests_++;
    self.streams_.emplace(frame->hd.stream_id, Stream(std::move(exchange)));
    return 0;
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* session) {
    const auto found = of(session).streams_.find(frame->hd.stream_id);
    if (found == of(session).streams_.end()) return 0;
    found->second.exchange.fields_.emplace_back(
        std::string(reinterpret_cast<const char*>(name), name_size),
        std::string(reinterpret_cast<const char*>(value), value_size));
    return 0;
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* bytes,
                     std::size_t size, void* session) {
    const auto found = of(session).streams_.find(stream);
    if (found == of(session).streams_.end()) return 0;
    found->second.exchange.body_.append(reinterpret_cast<const char*>(bytes), size);
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* session) {
    Session& self = of(session);
    const bool is_part = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!is_part || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    const auto found = self.streams_.find(frame->hd.stream_id);
    if (found != self.streams_.end()) self.upstream_.script_(found->second.exchange);
    return 0;
  }

  static ssize_t read(nghttp2_session* nghttp2, std::int32_t id, std::uint8_t* buffer,
                      std::size_t size, std::uint32_t* flags, nghttp2_data_source*, void* session) {
    Stream& stream = of(session).streams_.at(id);
    const std::size_t count = std::min(size, stream.body.size() - stream.sent);
    if (count == 0 && !stream.ends) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(buffer, stream.body.data() + stream.sent, count);
    stream.sent += count;
    if (stream.sent < stream.body.size() || !stream.ends) return static_cast<ssize_t>(count);
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!stream.trailers.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const auto pairs = pairs_of(stream.trailers);
      nghttp2_submit_trailer(nghttp2, id, pairs.data(), pairs.size());
    }
    return static_cast<ssize_t>(count);
  }

  void respond(std::int32_t id, int status, std::string body, const Fields& fields, bool ends,
               Fields trailers) {
    Stream& stream = streams_.at(id);
    stream.body = std::move(body);
    stream.ends = ends;
    stream.trailers = std::move(trailers);
    nghttp2_data_provider provider{};
    provider.read_callback = &Session::read;
    const Fields all = with_status(status, fields);
    const auto pairs = pairs_of(all);
    nghttp2_submit_response(session_, id, pairs.data(), pairs.size(), &provider);
  }

  Http2Upstream& upstream_;
  SSL* const ssl_;
  const int connection_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Stream> streams_;
  int requests_ = 0;
  bool closes_ = false;
};

int Http2Exchange::connection() const { return session_.connection_; }

std::string Http2Exchange::field(std::string_view name) const {
  for (const auto& [each, value] : fields_) {
    if (each == name) return value;
  }
  return "(none)";
}

void Http2Exchange::respond(int status, std::string body, Fields fields, Fields trailers) {
  session_.respond(stream_, status, std::move(body), fields, true, std::move(trailers));
}

void Http2Exchange::begin(int status, std::string body) {
  session_.respond(stream_, status, std::move(body), {}, false, {});
}

void Http2Exchange::inform(int status, const Fields& fields) {
  const Fields all = with_status(status, fields);
  const auto pairs = pairs_of(all);
  nghttp2_submit_headers(session_.session_, NGHTTP2_FLAG_NONE, stream_, nullptr, pairs.data(),
                         pairs.size(), nullptr);
}

void Http2Exchange::reset(std::uint32_t error) {
  nghttp2_submit_rst_stream(session_.session_, NGHTTP2_FLAG_NONE, stream_, error);
}

void Http2Exchange::go_away(LastStream last) {
  nghttp2_submit_goaway(session_.session_, NGHTTP2_FLAG_NONE,
                        last == LastStream::this_one ? stream_ : std::max(stream_ - 2, 0),
                        NGHTTP2_NO_ERROR, nullptr, 0);
}

void Http2Exchange::close() { session_.closes_ = true; }

Http2Upstream::Http2Upstream(const test::TestCertificate& certificate, Script script,
                             std::string http1)
    : script_(std::move(script)),
      http1_(std::move(http1)),
      context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
  SSL_CTX_use_certificate_chain_file(context_.get(), certificate.certificate_file().c_str());
  SSL_CTX_use_PrivateKey_file(context_.get(), certificate.key_file().c_str(), SSL_FILETYPE_PEM);
  SSL_CTX_set_alpn_select_cb(context_.get(), choose_protocol, nullptr);
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("the upstream cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

Http2Upstream::~Http2Upstream() {
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  for (Running& each : running_) {
    ::shutdown(each.descriptor, SHUT_RDWR);
    each.thread.join();
    ::close(each.descriptor);
  }
  ::close(listener_);
}

std::string Http2Upstream::url(std::string_view path) const {
  return fmt::format("https://localhost:{}{}", port_, path);
}

void Http2Upstream::accept_all() {
  while (true) {
    const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    const int connection = connections_++;
    running_.push_back({descriptor, std::thread([this, descriptor, connection] {
                          serve(descriptor, connection);
                          ::shutdown(descriptor, SHUT_RDWR);
                          ++ended_;
                        })});
  }
}

void Http2Upstream::serve(int descriptor, int connection) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);  // of a client that has gone
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context_.get()), SSL_free);
  SSL_set_fd(ssl.get(), descriptor);
  if (SSL_accept(ssl.get()) <= 0) return;
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl.get(), &chosen, &size);
  if (std::string_view(reinterpret_cast<const char*>(chosen), size) == "h2") {
    Http2Exchange::Session(*this, ssl.get(), connection).run();
    return;
  }
  std::array<char, 16 * 1024> buffer;
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const int count = SSL_read(ssl.get(), buffer.data(), buffer.size());
    if (count <= 0) return;
    head.append(buffer.data(), static_cast<std::size_t>(count));
  }
  SSL_write(ssl.get(), http1_.data(), static_cast<int>(http1_.size()));
}

}  // namespace fw::support
