// Where versions of cpp-httplib differ, and nowhere else: the virtual functions of its Stream and
// the parameters of Server::process_request.
#pragma once

#include <httplib.h>

#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace fw::http {

/// A request in memory as the stream that httplib reads it from. What httplib answers goes
/// nowhere: the adapter writes its own answers. None of the functions says `override`,
/// as it depends on the version which of them are virtual.
class MemoryStream : public httplib::Stream {
 public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}

  bool is_readable() const { return !bytes_.empty(); }
  bool is_writable() const { return true; }
  bool wait_readable() const { return !bytes_.empty(); }
  bool wait_writable() const { return true; }
  time_t duration() const { return 0; }

  ssize_t read(char* data, size_t size) {
    size = std::min(size, bytes_.size());
    std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char*, size_t size) { return static_cast<ssize_t>(size); }
  void get_remote_ip_and_port(std::string&, int&) const {}
  void get_local_ip_and_port(std::string&, int&) const {}
  socket_t socket() const { return 0; }  // only compared with FD_SETSIZE

 private:
  std::string_view bytes_;
};

/// Opens httplib's parser to this project.
class HttplibServer : public httplib::Server {
 public:
  using Receiver = std::function<void(httplib::Request&)>;

  HttplibServer() {
    // Nothing is routed by httplib: the request is taken over before it would look for a route.
    set_pre_routing_handler([](const httplib::Request&, httplib::Response& response) {
      response.status = 200;
      return HandlerResponse::Handled;
    });
  }

  /// Calls `receive` with the request that httplib read from the stream, if it accepts it.
  /// Thread-safe.
  template <class Stream>
  void parse(Stream& stream, const Receiver& receive) {
    bool closed = false;
    if constexpr (requires { this->process_request(stream, true, closed, receive); }) {
      this->process_request(stream, true, closed, receive);
    } else {
      const std::string address;
      this->process_request(stream, address, 0, address, 0, true, closed, receive);
    }
  }
};

}  // namespace fw::http
