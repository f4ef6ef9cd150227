#include "client/network/plain_connection.hpp"

#include <cerrno>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <utility>

namespace fw::outbound {

PlainConnection::PlainConnection(const Url& url, CurlSettings& settings)
    : Connection(url.origin), connecting_(std::make_unique<CurlConnection>(url, settings)) {
  connecting_->begin_connecting(url);
}

bool PlainConnection::connect() {
  if (!connecting_) return true;
  const auto code = connecting_->perform();
  if (!code) return false;
  if (*code != CURLE_OK) throw std::runtime_error(connecting_->describe(*code));
  std::unique_ptr<CurlConnection> connected;  // destroyed without the lock
  socket_ = connecting_->take_socket();
  const std::lock_guard lock(mutex_);
  connected = std::move(connecting_);
  connected->end();
  if (is_woken_) ::shutdown(fd(), SHUT_RDWR);
  return true;
}

bool PlainConnection::can_be_reused() {
  char byte = 0;
  return ::recv(fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

bool PlainConnection::wait(Deadline deadline, bool sends) {
  if (connecting_) {
    connecting_->wait(deadline);
    return false;
  }
  pollfd entry{fd(), static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0};
  return ::poll(&entry, 1, milliseconds_until(deadline)) > 0 && (entry.revents & ~POLLOUT) != 0;
}

/// A connection whose transfer was woken is not used again.
void PlainConnection::wake() {
  const std::lock_guard lock(mutex_);
  is_woken_ = true;
  if (connecting_) {
    connecting_->wake();
  } else {
    ::shutdown(fd(), SHUT_RDWR);
  }
}

}  // namespace fw::outbound
