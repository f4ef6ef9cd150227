#include "http/tls/tls_channel.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <sys/socket.h>

#include "crypto/openssl.hpp"
#include "http/tls/certificate.hpp"

namespace fw::http {
namespace {

/// The largest record of TLS.
constexpr std::size_t kRecordSize = 16 * 1024;
/// A call of `receive` reads this number of bytes of the socket more than it may return.
constexpr std::size_t kMaxOverhead = 4 * 1024;
/// A client may update its keys this number of times, and once more for each full record of data.
/// OpenSSL bounds other records without data.
constexpr std::uint64_t kMaxKeyUpdates = 32;
/// The first byte of every handshake (RFC 8446, section 5.1).
constexpr char kHandshakeRecord = 22;

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/// Empties OpenSSL's queue of errors, which SSL_get_error reads. Looking whether it is empty, which
/// it nearly always is, takes a fifth of the time of clearing it.
void clear_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

/// The bytes of several parts, record by record.
class Records {
 public:
  explicit Records(std::span<const iovec> parts) : parts_(parts) { skip_empty(); }

  bool empty() const { return parts_.empty(); }
  /// The next record. The head and the beginning of the body share one, which is copied for it.
  std::span<const char> next(std::array<char, kRecordSize>& buffer) const {
    const auto first = rest_of(parts_.front(), begin_);
    if (parts_.size() == 1 || first.size() >= kRecordSize) {
      return first.first(std::min(first.size(), kRecordSize));
    }
    const auto second = rest_of(parts_[1], 0);
    const std::size_t added = std::min(kRecordSize - first.size(), second.size());
    std::memcpy(buffer.data(), first.data(), first.size());
    std::memcpy(buffer.data() + first.size(), second.data(), added);
    return std::span<const char>(buffer).first(first.size() + added);
  }
  void consume(std::size_t size) {
    while (size > 0) {
      const std::size_t taken = std::min(size, parts_.front().iov_len - begin_);
      begin_ += taken;
      size -= taken;
      skip_empty();
    }
  }

 private:
  static std::span<const char> rest_of(const iovec& part, std::size_t begin) {
    return std::span(static_cast<const char*>(part.iov_base), part.iov_len).subspan(begin);
  }
  void skip_empty() {
    while (!parts_.empty() && begin_ == parts_.front().iov_len) {
      parts_ = parts_.subspan(1);
      begin_ = 0;
    }
  }

  std::span<const iovec> parts_;
  std::size_t begin_ = 0;  ///< of the first part
};

int create_socket_bio(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

long control_socket_bio(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

}  // namespace

void FreeSsl::operator()(SSL* ssl) const { SSL_free(ssl); }

/// Unlike OpenSSL's own, it remembers that a read was short, which saves a system call per request,
/// and causes no SIGPIPE.
const BIO_METHOD* TlsChannel::socket_method() {
  static const BIO_METHOD* const kMethod = [] {
    BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "fairway");
    if (method == nullptr) throw std::bad_alloc();
    BIO_meth_set_create(method, create_socket_bio);
    BIO_meth_set_read(method, read_socket);
    BIO_meth_set_write(method, write_socket);
    BIO_meth_set_ctrl(method, control_socket_bio);
    return method;
  }();
  return kMethod;
}

int TlsChannel::read_socket(BIO* bio, char* data, int size) {
  auto& channel = *static_cast<TlsChannel*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (channel.key_updates_ > kMaxKeyUpdates + channel.received_ / kRecordSize) return -1;
  if (!channel.socket_is_empty_ && channel.left_to_read_ > 0) {
    const auto received = recv(channel.fd_, data, static_cast<std::size_t>(size), MSG_DONTWAIT);
    channel.left_to_read_ -= received;
    channel.socket_is_empty_ = received != 0 && received < size;
    if (received >= 0) return static_cast<int>(received);
    if (!would_block(errno)) return -1;
  }
  BIO_set_retry_read(bio);
  return -1;
}

int TlsChannel::write_socket(BIO* bio, const char* data, int size) {
  const auto& channel = *static_cast<TlsChannel*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const iovec part{const_cast<char*>(data), static_cast<std::size_t>(size)};
  std::size_t sent = 0;
  const auto status = http::send_some(channel.fd_, {&part, 1}, sent);
  if (status == IoStatus::would_block) BIO_set_retry_write(bio);
  return status == IoStatus::done ? static_cast<int>(sent) : -1;
}

void TlsChannel::count_key_updates(int is_sent, int, int type, const void* message,
                                   std::size_t size, SSL*, void* channel) {
  if (is_sent != 0 || type != SSL3_RT_HANDSHAKE || size == 0) return;
  if (*static_cast<const unsigned char*>(message) != SSL3_MT_KEY_UPDATE) return;
  ++static_cast<TlsChannel*>(channel)->key_updates_;
}

/// Throws std::bad_alloc.
void TlsChannel::begin_handshake() {
  ssl_.reset(SSL_new(context_));
  BIO* bio = ssl_ ? BIO_new(socket_method()) : nullptr;
  if (bio == nullptr) {
    clear_errors();
    throw std::bad_alloc();
  }
  BIO_set_data(bio, this);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
  SSL_set_msg_callback(ssl_.get(), count_key_updates);
  SSL_set_msg_callback_arg(ssl_.get(), this);
}

Received TlsChannel::receive(std::span<char> buffer) {
  const std::lock_guard lock(mutex_);
  has_more_input_.store(false);
  if (state_.load() == State::new_client) {
    const auto first = receive_first();
    if (first.status != IoStatus::done) return first;
  }
  if (state_.load() == State::cleartext) return http::receive(fd_, buffer);
  if (state_.load() == State::failed) return {IoStatus::closed};
  waits_for_output_.store(false);
  socket_is_empty_ = false;
  left_to_read_ = static_cast<std::ptrdiff_t>(buffer.size() + kMaxOverhead);
  IoStatus status = IoStatus::done;
  std::size_t received = 0;
  while (received < buffer.size() && status == IoStatus::done) {
    clear_errors();
    std::size_t size = 0;
    const auto rest = buffer.subspan(received);
    const int result = SSL_read_ex(ssl_.get(), rest.data(), rest.size(), &size);
    status = status_of(result);
    received += size;
    // Another call would only find out that there is nothing, and allocates its buffer for that.
    if (socket_is_empty_ && SSL_has_pending(ssl_.get()) == 0) break;
  }
  received_ += received;
  has_more_input_.store(status == IoStatus::would_block && left_to_read_ <= 0);
  // Bytes that came before the end are used first.
  return received > 0 ? Received{IoStatus::done, received} : Received{status};
}

/// Looks at the first byte, because a client that uses no TLS must learn why it is refused.
Received TlsChannel::receive_first() {
  char first = 0;
  const auto size = recv(fd_, &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (size <= 0) {
    return {size < 0 && would_block(errno) ? IoStatus::would_block : IoStatus::closed};
  }
  if (first != kHandshakeRecord && is_upper(first)) {
    state_.store(State::cleartext);
    return {IoStatus::done, 1};
  }
  try {
    begin_handshake();
  } catch (const std::bad_alloc&) {
    state_.store(State::failed);
    return {IoStatus::closed};
  }
  state_.store(State::handshake);
  return {IoStatus::done, 1};
}

/// The outcome of the last operation, which returned `result`. The caller holds the lock.
IoStatus TlsChannel::status_of(int result) {
  if (state_.load() == State::handshake && SSL_is_init_finished(ssl_.get()) == 1) {
    try {
      client_certificate_ = certificate_of_client(*ssl_);
    } catch (const std::bad_alloc&) {
      state_.store(State::failed);
      return IoStatus::closed;
    }
    const unsigned char* protocol = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
    has_agreed_on_http2_.store(std::string_view(reinterpret_cast<const char*>(protocol), size) ==
                               "h2");
    state_.store(State::established);
  }
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
      return IoStatus::done;
    case SSL_ERROR_WANT_READ:
      return IoStatus::would_block;
    case SSL_ERROR_WANT_WRITE:
      waits_for_output_.store(true);
      return IoStatus::would_block;
    case SSL_ERROR_ZERO_RETURN:  // the client sends no more, but may receive
      return IoStatus::closed;
    default:
      clear_errors();
      state_.store(State::failed);
      return IoStatus::closed;
  }
}

std::shared_ptr<const ClientCertificate> TlsChannel::client_certificate() const {
  const std::lock_guard lock(mutex_);
  return client_certificate_;
}

IoStatus TlsChannel::send_some(std::span<const iovec> parts, std::size_t& sent) {
  sent = 0;
  const std::lock_guard lock(mutex_);
  if (state_.load() == State::cleartext) return http::send_some(fd_, parts, sent);
  if (state_.load() != State::established) return IoStatus::closed;
  std::array<char, kRecordSize> buffer;
  for (Records records(parts); !records.empty();) {
    std::size_t written = 0;
    const IoStatus status = send_record(records.next(buffer), written);
    if (status != IoStatus::done) return sent > 0 ? IoStatus::done : status;
    sent += written;
    records.consume(written);
  }
  return IoStatus::done;
}

IoStatus TlsChannel::send_record(std::span<const char> bytes, std::size_t& written) {
  clear_errors();
  const IoStatus status = status_of(SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written));
  // The client has begun a message of the handshake, such as an update of its keys, and not ended
  // it in the same record. The socket may have room until it does.
  if (status == IoStatus::would_block && SSL_want_read(ssl_.get())) {
    state_.store(State::failed);
    return IoStatus::closed;
  }
  has_begun_to_send_.store(waits_for_output_.exchange(false));
  return status;
}

void TlsChannel::close_output() noexcept {
  const std::lock_guard lock(mutex_);
  if (state_.load() != State::established || has_begun_to_send_.load()) return;
  clear_errors();
  SSL_shutdown(ssl_.get());
  clear_errors();
}

}  // namespace fw::http
