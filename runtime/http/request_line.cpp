#include "http/request_line.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "exchange/ascii.hpp"
#include "http/httplib_compat.hpp"

namespace fw::http {
namespace {

/// Method, target and version with one space between, printable ASCII without the number sign: a
/// target has no fragment (httplib would cut it off).
bool is_well_formed(std::string_view line) {
  return !line.empty() && std::count(line.begin(), line.end(), ' ') == 2 &&
         line.substr(line.find(' '), 2) != "  " && line.back() != ' ' &&
         std::all_of(line.begin(), line.end(),
                     [](char c) { return c >= 0x20 && c < 0x7F && c != '#'; }) &&
         std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(line.find(' ')),
                     detail::is_token_character);
}

bool is_version(std::string_view text) {
  return text.size() == 8 && text.substr(0, 5) == "HTTP/" && text[5] >= '0' && text[5] <= '9' &&
         text[6] == '.' && text[7] >= '0' && text[7] <= '9';
}

/// Why httplib refused a line that is well-formed.
Fault refusal(std::string_view line, std::string_view answer) {
  if (answer.find(" 414") != std::string_view::npos) return {414, "the request target is too long"};
  const auto version = line.substr(line.rfind(' ') + 1);
  if (!is_version(version)) return {400, "the request line does not end with an HTTP version"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return {505, "the HTTP version is not supported: use HTTP/1.1"};
  }
  return {501, "the request method is not known"};
}

/// The line a thread has parsed last of those with the same hash. httplib spends some 2.5 us on a
/// line, about as much as all else in a small request's head and answer; most lines are repeated.
struct Remembered {
  std::string line;
  RequestLine parsed;
};

constexpr std::size_t kRemembered = 128;
constexpr std::size_t kMaxRememberedLength = 128;

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

  std::optional<Fault> parse(std::string_view line, RequestLine& result) {
    if (!is_well_formed(line)) {
      return Fault{400,
                   "the request line is not a method, a target and a version, one space between"};
    }
    // Behind the line stands the empty line that ends a head without fields.
    thread_local std::string head;
    head.assign(line).append("\r\n\r\n");
    MemoryStream stream(head);
    bool accepted = false;
    server_.parse(stream, [&](httplib::Request& request) {
      accepted = true;
      result.method = std::move(request.method);
      result.target = std::move(request.target);
      result.is_http_1_0 = request.version == "HTTP/1.0";
    });
    if (!accepted) return refusal(line, stream.answer);
    return std::nullopt;
  }

 private:
  HttplibServer server_;
};

RequestLineParser::RequestLineParser() : impl_(std::make_unique<Impl>()) {}
RequestLineParser::~RequestLineParser() = default;

std::optional<Fault> RequestLineParser::parse(std::string_view line, RequestLine& result) const {
  if (line.empty() || line.size() > kMaxRememberedLength) return impl_->parse(line, result);
  auto& remembered = remembered_for(line);
  if (remembered.line != line) {
    RequestLine parsed;
    if (const auto fault = impl_->parse(line, parsed)) return fault;
    remembered = {std::string(line), std::move(parsed)};
  }
  result = remembered.parsed;
  return std::nullopt;
}

}  // namespace fw::http
