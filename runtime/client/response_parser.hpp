// Parses response heads as strictly as the server parses requests.
#pragma once

#include <cstddef>
#include <string_view>

#include "http/adapter.hpp"
#include "http/framing.hpp"

namespace fw::client {

/// Parses heads line by line, including interim responses.
class ResponseParser {
 public:
  /// Maximum size of the heads of a response, including interim ones.
  static constexpr std::size_t kMaxHeadBytes = std::size_t{64} * 1024;

  enum class State {
    incomplete,
    interim,   ///< a 1xx head is complete; another head follows
    complete,  ///< the final head is complete
    rejected,  ///< see `error`
  };

  /// Accepts heads of HTTP/2, too, which libcurl writes as lines.
  void accept_http2() { accepts_http2_ = true; }
  /// Adds the next line, including its line end.
  State add(std::string_view line);

  int status() const { return status_; }
  /// "1.0", "1.1" or "2"; a literal.
  std::string_view http_version() const { return version_; }
  http::Fields& fields() { return fields_; }
  std::string_view error() const { return error_; }

 private:
  State reject(std::string_view why);
  State finish();
  bool read_status_line(std::string_view line);

  std::size_t received_ = 0;  ///< bytes of all heads
  bool has_status_line_ = false;
  bool accepts_http2_ = false;
  std::string_view version_;
  int status_ = 0;
  http::Fields fields_;
  http::Framing framing_;
  std::string_view error_;
};

}  // namespace fw::client
