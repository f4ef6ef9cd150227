// The request line: method, target and version (RFC 9112, 3).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/fault.hpp"

namespace fw::http {

struct RequestLine {
  std::string method;
  std::string target;  ///< as sent
  bool is_http_1_0 = false;
};

/// Parses request lines; cpp-httplib judges method and version. It is given no field lines: it
/// decodes percent sequences in values (even to line breaks), drops those without a value and loses
/// the order, none of which can be undone. Nor is it given targets: it refuses some that are right.
class RequestLineParser {
 public:
  RequestLineParser();
  ~RequestLineParser();

  /// Parses a line without its CRLF. Thread-safe.
  std::optional<Fault> parse(std::string_view line, RequestLine& result) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fw::http
