// The heads of requests and responses as fields of HTTP/2 (RFC 9113, 8.2 and 8.3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nghttp2/nghttp2.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/adapter.hpp"
#include "http/framing.hpp"
#include "http/response_head.hpp"

namespace fw::http {

/// What an entry of a header list counts beyond its characters (RFC 9113, 6.5.2).
inline constexpr std::size_t kFieldOverhead = 32;

/// A field for the library, which copies both strings and writes names in lower case.
nghttp2_nv http2_field(std::string_view name, std::string_view value);

/// Reads the head of a request, field by field.
class RequestFieldReader {
 public:
  void add(std::string_view name, std::string_view value, const AdapterOptions& options,
           RequestHead& head);
  /// `has_ended`: there is no body.
  void finish(bool has_ended, const AdapterOptions& options, RequestHead& head, Framing& framing);

  void reject(RequestError error) { error_ = std::move(error); }
  /// Why the request is rejected.
  const std::optional<RequestError>& error() const { return error_; }

 private:
  std::optional<RequestError> error_;
  bool has_http_scheme_ = false;
  std::string method_;
  std::string path_;
  std::string protocol_;  ///< of CONNECT (RFC 8441)
  std::string cookie_;    ///< its parts, joined
  std::size_t size_ = 0;
};

/// The fields of a response, which refer to its head and to this object.
class ResponseFields {
 public:
  ResponseFields(const ResponseHead& head, std::optional<std::uint64_t> length);
  ResponseFields(const ResponseFields&) = delete;
  ResponseFields& operator=(const ResponseFields&) = delete;

  const std::vector<nghttp2_nv>& list() const { return list_; }

 private:
  std::vector<nghttp2_nv>& list_;  ///< of the thread
  std::array<char, 3> status_{};
  std::array<char, 20> length_{};
};

/// So much of a response that is not incremental is sent in one piece. Then it shares the
/// connection with others of its urgency, so that a large one delays small ones by little.
inline constexpr std::size_t kUnsharedSize = 256 * 1024;

/// The urgency in a Priority field: 0 to 7. An absent or invalid one is 3.
std::uint32_t urgency_of(std::string_view priority);

}  // namespace fw::http
