// A client of one request: sends exactly the bytes of a case and reads the response as it comes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conformance {

struct ReceivedResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  bool complete = false;  ///< false: the connection broke before the end of the body
  double elapsed_ms = 0;  ///< from sending to the end of the response

  /// The first value of a field, name in any case.
  std::optional<std::string> field(std::string_view name) const;
};

/// Sends `bytes` to the port of the loopback interface and reads one final response; interim (1xx)
/// responses are skipped. `head` tells that the response to HEAD has no body. Throws
/// std::runtime_error when no response comes within a minute.
ReceivedResponse exchange(int port, std::string_view bytes, bool head);

bool equal_names(std::string_view left, std::string_view right);

}  // namespace conformance
