#include <fairway/socket.hpp>

#include <stdexcept>

namespace fw {

bool Socket::send(std::string_view, const Json&) { return false; }
bool Socket::send_data(std::string_view, const detail::EncodableData&) { return false; }
bool Socket::send_text(std::string_view) { return false; }
bool Socket::send_binary(std::string_view) { return false; }
void Socket::close(int, std::string_view) {}
void Socket::set_handler(std::string_view, detail::MessageHandler) {}
void Socket::set_text_handler(detail::MessageHandler) {}
void Socket::set_binary_handler(detail::MessageHandler) {}
void Socket::add_callback(std::function<void(const CloseReason&)> callback) { callback({}); }
bool Socket::is_open() const { return false; }
std::size_t Socket::pending() const { return 0; }
std::uint64_t Socket::dropped() const { return 0; }
std::string Socket::protocol() const { return {}; }

namespace detail {

std::function<void(Request&, Response&)> opening_handler(SocketHandler) {
  throw std::logic_error("this version has no sockets yet");
}

}  // namespace detail
}  // namespace fw
