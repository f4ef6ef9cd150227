#include "http/framing.hpp"

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fw::http {
namespace {

using base::equal_ignoring_case;

/// RFC 3986, reg-name: unreserved characters, '%' and sub-delims other than the comma.
constexpr auto kHostCharacters = [] {
  auto table = base::kTokenCharacters;
  for (const char c : std::string_view("#^`|")) table[static_cast<std::size_t>(c)] = false;
  for (const char c : std::string_view("();=")) table[static_cast<std::size_t>(c)] = true;
  return table;
}();

constexpr std::size_t kMinResponseField = std::string_view("connection").size();

struct Seen {
  int hosts = 0;
  int lengths = 0;
  int codings = 0;
  bool close = false;
  bool keep_alive = false;
};

std::optional<RequestError> read_length(std::string_view value, Framing& framing) {
  framing.content_length = base::parse_number<std::uint64_t>(value);
  if (!framing.content_length) {
    return RequestError{400, "Content-Length is not a number of bytes"};
  }
  return std::nullopt;
}

void read_connection(std::string_view value, Seen& seen) {
  base::for_each_token(value, ',', [&](std::string_view token) {
    token = base::trim_ows(token);
    seen.close |= base::equal_ignoring_case(token, "close");
    seen.keep_alive |= base::equal_ignoring_case(token, "keep-alive");
  });
}

/// Compares lengths first, so that other fields cost only one comparison.
std::optional<RequestError> read_field(std::string_view name, std::string_view value, Seen& seen,
                                       Framing& framing) {
  switch (name.size()) {
    case 4:
      if (!base::equal_ignoring_case(name, "host")) break;
      ++seen.hosts;
      if (!value.empty() && !is_authority(value)) {
        return RequestError{400, "Host is not a host with an optional port"};
      }
      break;
    case 6:
      if (!base::equal_ignoring_case(name, "expect") || framing.is_http_1_0) break;
      if (!base::equal_ignoring_case(value, "100-continue")) {
        return RequestError{417, "Expect asks for something other than 100-continue"};
      }
      framing.expects_continue = true;
      break;
    case 10:
      if (base::equal_ignoring_case(name, "connection")) read_connection(value, seen);
      break;
    case 14:
      if (!base::equal_ignoring_case(name, "content-length")) break;
      ++seen.lengths;
      return read_length(value, framing);
    case 17:
      if (!base::equal_ignoring_case(name, "transfer-encoding")) break;
      ++seen.codings;
      if (!base::equal_ignoring_case(value, "chunked")) {
        return RequestError{400, "Transfer-Encoding is not chunked, the only coding accepted here"};
      }
      framing.chunked = true;
      break;
    default:
      break;
  }
  return std::nullopt;
}

bool keeps_connection(const Seen& seen, const Framing& framing) {
  return !seen.close && (!framing.is_http_1_0 || seen.keep_alive);
}

/// Recipients may disagree about several lengths and codings.
std::optional<RequestError> check_body_end(const Seen& seen, const Framing& framing) {
  if (seen.lengths > 1) return RequestError{400, "Content-Length is given more than once"};
  if (seen.codings > 1) return RequestError{400, "Transfer-Encoding is given more than once"};
  if (seen.codings > 0 && seen.lengths > 0) {
    return RequestError{400, "Content-Length and Transfer-Encoding are given together"};
  }
  if (seen.codings > 0 && framing.is_http_1_0) {
    return RequestError{400, "Transfer-Encoding is given in an HTTP/1.0 message"};
  }
  return std::nullopt;
}

}  // namespace

bool is_authority(std::string_view text) {
  std::size_t end = 0;
  if (text.starts_with('[')) {
    end = text.find(']') + 1;
    if (end < 4 || text.substr(1, end - 2).find_first_not_of("0123456789abcdefABCDEF:.v") !=
                       std::string_view::npos) {
      return false;
    }
  } else {
    while (end < text.size() && kHostCharacters[static_cast<unsigned char>(text[end])]) ++end;
  }
  if (end == 0) return false;
  if (end == text.size()) return true;
  if (text[end] != ':') return false;
  const auto port = text.substr(end + 1);
  std::uint32_t number = 0;
  for (const char c : port) {
    if (!base::is_digit(c)) return false;
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
    if (number > 0xFFFF) return false;
  }
  return true;
}

std::optional<RequestError> parse_framing(const Fields& fields, Framing& framing) {
  Seen seen;
  for (const auto& [name, value] : fields) {
    if (const auto error = read_field(name, value, seen, framing)) return error;
  }
  if (seen.hosts > 1) return RequestError{400, "Host is given more than once"};
  if (seen.hosts == 0 && !framing.is_http_1_0) return RequestError{400, "Host is missing"};
  if (const auto error = check_body_end(seen, framing)) return error;
  framing.keep_alive = keeps_connection(seen, framing);
  framing.expects_continue = framing.expects_continue && framing.has_body();
  return std::nullopt;
}

std::optional<RequestError> parse_response_framing(const Fields& fields, Framing& framing) {
  Seen seen;
  for (const auto& [name, value] : fields) {
    if (name.size() < kMinResponseField) continue;  // Host and Expect are of requests
    if (const auto error = read_field(name, value, seen, framing)) return error;
  }
  framing.keep_alive = keeps_connection(seen, framing);
  return check_body_end(seen, framing);
}

}  // namespace fw::http
