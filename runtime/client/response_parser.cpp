#include "client/response_parser.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "http/field_lines.hpp"

namespace fw::client {
namespace {

constexpr std::size_t kMaxFields = 256;
constexpr int kSwitchingProtocols = 101;

}  // namespace

ResponseParser::State ResponseParser::add(std::string_view line) {
  received_ += line.size();
  if (received_ > kMaxHeadBytes) return reject("the head of the response is larger than 64 kB");
  if (!line.ends_with("\r\n")) return reject("a line of the head does not end with CR LF");
  if (!has_status_line_) {
    has_status_line_ = read_status_line(line.substr(0, line.size() - 2));
    if (has_status_line_) return State::incomplete;
    return reject("the response does not begin with an HTTP/1.1 status line");
  }
  if (line.size() == 2) return finish();
  const auto problem = http::parse_field_lines(line, kMaxFields, fields_);
  if (problem && fields_.size() == kMaxFields) return reject("the response has too many headers");
  if (problem) return reject(problem->message);
  return State::incomplete;
}

ResponseParser::State ResponseParser::finish() {
  if (const auto ambiguous = http::parse_response_framing(fields_, framing_)) {
    return reject(ambiguous->message);
  }
  if (status_ == kSwitchingProtocols) return reject("the upstream switches to another protocol");
  if (status_ >= 200) return State::complete;
  has_status_line_ = false;
  return State::interim;
}

/// "HTTP/1.1 200 OK"; the reason may be missing, and HTTP/2 has none.
bool ResponseParser::read_status_line(std::string_view line) {
  constexpr std::array<std::string_view, 3> kVersions = {"1.1", "1.0", "2"};
  constexpr std::string_view kProtocol = "HTTP/";
  if (!line.starts_with(kProtocol)) return false;
  line.remove_prefix(kProtocol.size());
  const std::string_view version = line.substr(0, line.find(' '));
  const auto found = std::find(kVersions.begin(), kVersions.end(), version);
  if (found == kVersions.end() || version.size() == line.size()) return false;
  if (version == "2" && !accepts_http2_) return false;
  version_ = *found;
  line.remove_prefix(version.size() + 1);
  fields_.clear();
  framing_ = {};
  framing_.is_http_1_0 = version_ == "1.0";
  if (line.size() < 3 || (line.size() > 3 && line[3] != ' ')) return false;
  if (!base::is_digit(line[0]) || !base::is_digit(line[1]) || !base::is_digit(line[2])) {
    return false;
  }
  status_ = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
  return status_ >= 100 && status_ <= 599 && http::is_field_value(line);
}

ResponseParser::State ResponseParser::reject(std::string_view why) {
  error_ = why;
  return State::rejected;
}

}  // namespace fw::client
