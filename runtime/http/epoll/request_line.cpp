#include "http/epoll/request_line.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "http/epoll/httplib_compat.hpp"
#include "http/field_lines.hpp"

namespace fw::http {
namespace {

struct Parts {
  std::string_view method;
  std::string_view target;
  std::string_view version;
};

/// Printable ASCII without blanks and without the number sign: a target has no fragment.
bool is_target(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
}

/// Method, target and version with one space between.
std::optional<Parts> split(std::string_view line) {
  const auto method_end = line.find(' ');
  if (method_end == std::string_view::npos) return std::nullopt;
  const auto target_end = line.find(' ', method_end + 1);
  if (target_end == std::string_view::npos) return std::nullopt;
  const Parts parts{line.substr(0, method_end),
                    line.substr(method_end + 1, target_end - method_end - 1),
                    line.substr(target_end + 1)};
  // A version is no target, but nothing that a target may not have belongs there either.
  if (!is_field_name(parts.method) || !is_target(parts.target) || !is_target(parts.version)) {
    return std::nullopt;
  }
  return parts;
}

bool is_version(std::string_view text) {
  return text.size() == 8 && text.substr(0, 5) == "HTTP/" && text[5] >= '0' && text[5] <= '9' &&
         text[6] == '.' && text[7] >= '0' && text[7] <= '9';
}

/// Why httplib refused a line that is well-formed.
Fault refusal(std::string_view version) {
  if (!is_version(version)) return {400, "the request line does not end with an HTTP version"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return {505, "the HTTP version is not supported: use HTTP/1.1"};
  }
  return {501, "the request method is not known"};
}

/// What a thread has parsed last of the lines with the same hash. httplib spends some 2.5 us on a
/// line, about as much as all else in a small request's head and answer; there are few lines
/// without their targets.
struct Remembered {
  std::string line;
  RequestLine parsed;
};

constexpr std::size_t kRemembered = 32;

Remembered& remembered_for(std::string_view line) {
  thread_local std::vector<Remembered> lines(kRemembered);
  return lines[std::hash<std::string_view>()(line) % kRemembered];
}

}  // namespace

class RequestLineParser::Impl {
 public:
  Impl() {
    // httplib makes its tables on first use: before there are threads.
    RequestLine line;
    parse("GET / HTTP/1.1", line);
  }

  /// False if httplib does not accept the line, which has no target but "/".
  bool parse(std::string_view line, RequestLine& result) {
    // Behind the line stands the empty line that ends a head without fields.
    thread_local std::string head;
    head.assign(line).append("\r\n\r\n");
    MemoryStream stream(head);
    bool accepted = false;
    server_.parse(stream, [&](httplib::Request& request) {
      accepted = true;
      result.method = std::move(request.method);
      result.is_http_1_0 = request.version == "HTTP/1.0";
    });
    return accepted;
  }

 private:
  HttplibServer server_;
};

RequestLineParser::RequestLineParser() : impl_(std::make_unique<Impl>()) {}
RequestLineParser::~RequestLineParser() = default;

std::optional<Fault> RequestLineParser::parse(std::string_view line, RequestLine& result) const {
  const auto parts = split(line);
  if (!parts) {
    return Fault{400,
                 "the request line is not a method, a target and a version, one space between"};
  }
  if (parts->target.size() > CPPHTTPLIB_REQUEST_URI_MAX_LENGTH) {
    return Fault{414, "the request target is too long"};
  }
  // httplib refuses targets that it cannot take apart, such as a query with a question mark.
  thread_local std::string bare;
  bare.assign(parts->method).append(" / ").append(parts->version);
  auto& remembered = remembered_for(bare);
  if (remembered.line != bare) {
    RequestLine parsed;
    if (!impl_->parse(bare, parsed)) return refusal(parts->version);
    remembered = {bare, std::move(parsed)};
  }
  result = remembered.parsed;
  result.target = parts->target;
  return std::nullopt;
}

}  // namespace fw::http
