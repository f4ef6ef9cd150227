#include "rpc/json_rpc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fairway::rpc {
namespace {

constexpr std::string_view kEndOfHeader = "\r\n\r\n";
constexpr std::size_t kMaxHeader = 64 * 1024;
constexpr std::size_t kMaxContent = 256 * 1024 * 1024;

std::optional<std::size_t> content_length(std::string_view header) {
  constexpr std::string_view kName = "content-length:";
  while (!header.empty()) {
    const std::size_t end = std::min(header.find("\r\n"), header.size());
    std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    if (!fw::base::equal_ignoring_case(line.substr(0, kName.size()), kName)) continue;
    line = fw::base::trim_whitespace(line.substr(kName.size()));
    const auto length = fw::base::parse_number<std::size_t>(line);
    return length && *length <= kMaxContent ? length : std::nullopt;
  }
  return std::nullopt;
}

Json message() { return {{"jsonrpc", "2.0"}}; }

}  // namespace

std::optional<std::string> MessageReader::next() {
  return framing_ == Framing::headers ? next_with_header() : next_line();
}

std::optional<std::string> MessageReader::next_line() {
  while (true) {
    const std::size_t end = buffer_.find('\n', searched_);
    if (end == std::string::npos) {
      skips_line_ = skips_line_ || buffer_.size() > kMaxLine;
      if (skips_line_) buffer_.clear();
      searched_ = buffer_.size();
      return std::nullopt;
    }
    const bool is_too_long = std::exchange(skips_line_, false) || end > kMaxLine;
    std::string line = is_too_long ? std::string() : buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    searched_ = 0;
    if (is_too_long) return "";
    if (!fw::base::trim_whitespace(line).empty()) return line;
  }
}

std::optional<std::string> MessageReader::next_with_header() {
  const std::size_t end = buffer_.find(kEndOfHeader);
  if (end == std::string::npos) {
    if (buffer_.size() <= kMaxHeader) return std::nullopt;
    buffer_.clear();
    return "";
  }
  const std::size_t begin = end + kEndOfHeader.size();
  const auto length = content_length(std::string_view(buffer_).substr(0, end));
  if (!length) {
    buffer_.erase(0, begin);
    return "";
  }
  if (buffer_.size() - begin < *length) return std::nullopt;
  std::string content = buffer_.substr(begin, *length);
  buffer_.erase(0, begin + *length);
  return content;
}

std::string framed(const Json& message, Framing framing) {
  const std::string content = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (framing == Framing::lines) return content + '\n';
  return fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
}

Json parse_message(const std::string& content) {
  static constexpr int kDeepest = 400;  // what follows is recursive
  const auto limit = [](int depth, Json::parse_event_t, Json&) {
    if (depth <= kDeepest) return true;
    throw RequestError(ErrorCode::invalid_request,
                       fmt::format("the message is nested more than {} levels deep", kDeepest));
  };
  try {
    return Json::parse(content, limit);
  } catch (const Json::exception&) {
    throw RequestError(ErrorCode::parse_error, "the message is not valid JSON");
  }
}

Json notification(std::string_view method, Json params) {
  Json result = message();
  result["method"] = method;
  result["params"] = std::move(params);
  return result;
}

Json request(const Json& id, std::string_view method, Json params) {
  Json result = message();
  result["id"] = id;
  result["method"] = method;
  result["params"] = std::move(params);
  return result;
}

Json response(const Json& id, Json result) {
  Json whole = message();
  whole["id"] = id;
  whole["result"] = std::move(result);
  return whole;
}

Json error_response(const Json& id, ErrorCode code, const std::string& message_text) {
  Json whole = message();
  whole["id"] = id;
  whole["error"] = {{"code", static_cast<int>(code)}, {"message", message_text}};
  return whole;
}

Json error_response(const Json& id, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const RequestError& request_error) {
    return error_response(id, request_error.code(), request_error.what());
  } catch (const Json::exception& json_error) {
    // "[json.exception.…] key 'position' not found"
    const std::string_view what = json_error.what();
    return error_response(id, ErrorCode::invalid_params,
                          fmt::format("invalid parameters: {}", what.substr(what.find("] ") + 2)));
  } catch (const std::exception& other) {
    return error_response(id, ErrorCode::internal_error,
                          fmt::format("internal error ({})", other.what()));
  }
}

}  // namespace fairway::rpc
