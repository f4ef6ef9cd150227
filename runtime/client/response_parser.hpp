// The head of an upstream's response, read as strictly as the server reads requests.
#pragma once

#include <string>
#include <string_view>

#include "http/adapter.hpp"

namespace fw::outbound {

/// Collects the lines of heads, one after the other, interim ones included.
class ResponseParser {
 public:
  enum class State {
    incomplete,
    interim,   ///< a 1xx has ended: the next head follows
    complete,  ///< the final head has ended
    refused,   ///< `error` says why
  };

  /// Takes the next line with its line end.
  State add(std::string_view line);

  int status() const { return status_; }
  http::Fields& fields() { return fields_; }
  std::string_view error() const { return error_; }

 private:
  State refuse(std::string_view why);
  State finish();
  bool read_status_line(std::string_view line);

  std::string lines_;         ///< of the head that is being read
  std::size_t received_ = 0;  ///< bytes of all heads
  int status_ = 0;
  http::Fields fields_;
  std::string_view error_;
};

}  // namespace fw::outbound
