// Sends the requests of a contract test.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include "contract_test/requests.hpp"
#include "contract_test/response_check.hpp"
#include "files/user_error.hpp"

namespace fairway::contract_test {

/// There was no complete response.
class NoResponse : public UserError {
  using UserError::UserError;
};

/// "http://host:port" with an optional path before the request paths.
struct BaseUrl {
  std::string origin;
  std::string path;  ///< without a slash at the end
};
/// Throws UserError for another URL.
BaseUrl parse_base_url(const std::string& url);

/// Follows no redirects and keeps no cookies. Used by one thread.
class HttpClient {
 public:
  static constexpr std::size_t kAnySize = std::numeric_limits<std::size_t>::max();

  /// Bodies end after `max_body` bytes. Throws UserError as `parse_base_url` does.
  explicit HttpClient(const std::string& base_url, std::size_t max_body = kAnySize);
  ~HttpClient();

  /// A stream of events or of lines has what arrives within `stream_time` after its head; without
  /// a time, only its head. Throws NoResponse.
  Response send(const Request& request, std::chrono::milliseconds stream_time = {});

 private:
  struct Connection;
  const std::size_t max_body_;
  std::unique_ptr<Connection> connection_;
};

/// The host of a base URL, without the port: "127.0.0.1", "[::1]". Throws UserError as above.
std::string host_of(const std::string& base_url);

/// A command that sends the request, for a POSIX shell.
std::string curl_command(const std::string& base_url, const Request& request);

}  // namespace fairway::contract_test
