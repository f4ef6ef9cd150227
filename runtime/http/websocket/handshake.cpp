#include "http/websocket/handshake.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

#include "base/ascii.hpp"
#include "crypto/openssl.hpp"

namespace fw::http::websocket {
namespace {

constexpr std::string_view kKeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::string_view kVersion = "13";
constexpr std::size_t kKeySize = 24;  ///< base64 of 16 bytes
constexpr std::size_t kSha1Size = 20;

/// Whether the field has the token, ignoring case. It may have several lines.
bool has_token(const Fields& fields, std::string_view name, std::string_view token) {
  bool found = false;
  for (std::size_t i = fields.index_of(name); i < fields.size(); i = fields.index_of(name, i + 1)) {
    base::for_each_token(fields[i].value, ',', [&](std::string_view each) {
      found = found || base::equal_ignoring_case(base::trim_ows(each), token);
    });
  }
  return found;
}

/// The value of a field that is there once.
std::optional<std::string_view> only_value(const Fields& fields, std::string_view name) {
  const std::size_t index = fields.index_of(name);
  if (index == fields.size() || fields.index_of(name, index + 1) != fields.size()) {
    return std::nullopt;
  }
  return base::trim_ows(fields[index].value);
}

bool is_key(std::string_view text) {
  const auto is_base64 = [](char c) { return base::is_alphanumeric(c) || c == '+' || c == '/'; };
  return text.size() == kKeySize && text.ends_with("==") &&
         std::ranges::all_of(text.substr(0, kKeySize - 2), is_base64);
}

}  // namespace

std::optional<RequestError> find_handshake_error(const RequestHead& head,
                                                 std::string_view http_version) {
  const Fields& fields = head.fields;
  const bool is_http2 = http_version == "2";
  if (is_http2 && !head.opens_socket) {
    return RequestError{
        400, "Bad Request: a socket is opened with CONNECT (RFC 8441), or with HTTP/1.1"};
  }
  const bool upgrades = head.opens_socket || (head.method == "GET" && http_version == "1.1" &&
                                              has_token(fields, "connection", "upgrade") &&
                                              has_token(fields, "upgrade", "websocket"));
  if (!upgrades) return RequestError{426, "Upgrade Required: this is a socket (WebSocket)"};
  if (only_value(fields, "sec-websocket-version") != kVersion) {
    // HTTP/2 has no upgrade, which 426 asks for.
    const int status = is_http2 ? 400 : 426;
    return RequestError{status, is_http2 ? "Bad Request: the version of WebSocket must be 13"
                                         : "Upgrade Required: the version of WebSocket must be 13"};
  }
  if (is_http2) return std::nullopt;  // it has no key
  if (!is_key(only_value(fields, "sec-websocket-key").value_or(""))) {
    return RequestError{400, "Bad Request: Sec-WebSocket-Key must be 16 bytes in base64"};
  }
  if (head.has_body) return RequestError{400, "Bad Request: a socket is opened without a body"};
  return std::nullopt;
}

bool rejects_handshake(const RequestHead& head, int status) {
  return status >= 300 && head.fields.may_have("upgrade") &&
         has_token(head.fields, "upgrade", "websocket");
}

std::string accept_key(std::string_view key) {
  const std::string text = std::string(key).append(kKeySuffix);
  std::array<unsigned char, kSha1Size> hash{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_sha1(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  std::array<unsigned char, 29> encoded{};  // 28 characters and a zero byte
  const int length = EVP_EncodeBlock(encoded.data(), hash.data(), static_cast<int>(size));
  return {encoded.begin(), encoded.begin() + length};
}

}  // namespace fw::http::websocket
