namespace detail {

/// SHA-1 (FIPS 180-4), of which the opening of a socket makes a check, not a secret.
inline std::array<unsigned char, 20> sha1(std::string text) {
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  text += '\x80';
  while (text.size() % 64 != 56) text += '\0';
  append_big_endian(text, bits, 8);
  std::array<std::uint32_t, 5> hash = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  const auto rotated = [](std::uint32_t value, unsigned by) {
    return value << by | value >> (32U - by);
  };
  for (std::size_t block = 0; block < text.size(); block += 64) {
    std::array<std::uint32_t, 80> words = {};
    for (std::size_t i = 0; i < 64; ++i) {
      words[i / 4] = words[i / 4] << 8U | static_cast<unsigned char>(text[block + i]);
    }
    for (std::size_t i = 16; i < 80; ++i) {
      words[i] = rotated(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    auto [a, b, c, d, e] = hash;
    for (std::size_t i = 0; i < 80; ++i) {
      const bool is_parity = i / 20 % 2 == 1;
      const std::uint32_t mixed = is_parity ? b ^ c ^ d
                                  : i < 20  ? (b & c) | (~b & d)
                                            : (b & c) | (b & d) | (c & d);
      constexpr std::uint32_t kRounds[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
      const std::uint32_t next = rotated(a, 5) + mixed + e + kRounds[i / 20] + words[i];
      e = d;
      d = c;
      c = rotated(b, 30);
      b = a;
      a = next;
    }
    hash = {hash[0] + a, hash[1] + b, hash[2] + c, hash[3] + d, hash[4] + e};
  }
  std::array<unsigned char, 20> result = {};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<unsigned char>(hash[i / 4] >> (24 - 8 * (i % 4)));
  }
  return result;
}

inline std::string base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = i; j < i + 3; ++j)
      group = group << 8U | (j < bytes.size() ? bytes[j] : 0U);
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 0x3FU];
    }
  }
  return text;
}

/// The value of Sec-WebSocket-Key.
inline std::string random_key() {
  std::random_device random;
  std::array<unsigned char, 16> bytes = {};
  for (unsigned char& each : bytes) each = static_cast<unsigned char>(random());
  return base64(bytes);
}

/// The value of Sec-WebSocket-Accept for a key.
inline std::string accept_of(const std::string& key) {
  return base64(sha1(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

/// The request that opens a socket (RFC 6455, 4.1). Compression is not offered.
inline std::string opening_head(const httplib::Request& request, const BaseUrl& url,
                                const std::string& key, const std::vector<std::string>& protocols) {
  std::string head = "GET " + request.path + " HTTP/1.1\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  if (!request.has_header("Host")) {
    std::string host = url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
    if (url.port != (url.secure ? 443 : 80)) host += ":" + std::to_string(url.port);
    add("Host", host);
  }
  for (const auto& [name, value] : request.headers) {
    const auto is_ours = [&field = name](std::string_view each) { return same_name(field, each); };
    constexpr std::string_view kOurs[] = {"Connection",
                                          "Upgrade",
                                          "Content-Length",
                                          "Transfer-Encoding",
                                          "Sec-WebSocket-Key",
                                          "Sec-WebSocket-Version",
                                          "Sec-WebSocket-Protocol",
                                          "Sec-WebSocket-Extensions"};
    if (std::none_of(std::begin(kOurs), std::end(kOurs), is_ours)) add(name, value);
  }
  add("Connection", "Upgrade");
  add("Upgrade", "websocket");
  add("Sec-WebSocket-Version", "13");
  add("Sec-WebSocket-Key", key);
  std::string offered;
  for (const std::string& each : protocols) offered += (offered.empty() ? "" : ", ") + each;
  if (!offered.empty()) add("Sec-WebSocket-Protocol", offered);
  return head + "\r\n";
}

/// The head of a response. False if the text is none.
inline bool parse_response_head(std::string_view head, ResponseInfo& info, std::string& reason) {
  constexpr std::string_view kVersion = "HTTP/1.";
  const std::string_view line = take_part(head, "\r\n");
  if (line.size() < 12 || !line.starts_with(kVersion) || line[8] != ' ') return false;
  const auto [after, error] = std::from_chars(line.data() + 9, line.data() + 12, info.status);
  if (error != std::errc() || after != line.data() + 12 || info.status < 100) return false;
  reason = line.substr(std::min<std::size_t>(13, line.size()));
  while (!head.empty()) {
    const std::string_view field = take_part(head, "\r\n");
    const std::size_t colon = field.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    info.headers.emplace_back(field.substr(0, colon), trimmed(field.substr(colon + 1)));
  }
  info.request_id = info.header("X-Request-ID");
  return true;
}

/// Whether a field, which is a list, has a token.
inline bool has_token(const ResponseInfo& info, std::string_view name, std::string_view token) {
  for (const auto& [field, value] : info.headers) {
    if (!same_name(field, name)) continue;
    for (std::string_view rest = value; !rest.empty();) {
      if (same_name(trimmed(take_part(rest, ",")), token)) return true;
    }
  }
  return false;
}

/// What is wrong with a response 101; empty if nothing is.
inline std::string opening_error(const ResponseInfo& info, const std::string& key,
                                 const std::vector<std::string>& protocols) {
  if (!same_name(info.header("Upgrade"), "websocket") ||
      !has_token(info, "Connection", "upgrade")) {
    return "does not upgrade to a socket";
  }
  if (info.header("Sec-WebSocket-Accept") != accept_of(key)) return "accepts another request";
  if (!info.header("Sec-WebSocket-Extensions").empty()) return "has an extension";
  const std::string protocol = info.header("Sec-WebSocket-Protocol");
  const bool is_offered = protocol.empty() || std::find(protocols.begin(), protocols.end(),
                                                        protocol) != protocols.end();
  return is_offered ? "" : "has the subprotocol '" + protocol + "', which was not offered";
}

/// The body of an error, which tells why a socket was not opened, from what was received so far.
/// Empty as long as more follows.
inline std::optional<std::string> error_body(const ResponseInfo& info, std::string_view received,
                                             bool has_ended) {
  constexpr std::size_t kMaxResponse = std::size_t{1} << 20U;
  const auto number = [](std::string_view text, int base) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
  };
  if (received.size() > kMaxResponse) has_ended = true;
  if (same_name(info.header("Transfer-Encoding"), "chunked")) {
    std::string body;
    std::string_view rest = received;
    while (true) {
      const std::size_t line = rest.find("\r\n");
      const auto size = line == std::string_view::npos ? std::nullopt : number(rest, 16);
      if (size == 0U) return body;
      if (!size || *size > kMaxResponse || rest.size() < line + 2 + *size + 2) break;
      body += rest.substr(line + 2, *size);
      rest.remove_prefix(line + 2 + *size + 2);
    }
    return has_ended ? std::optional(body) : std::nullopt;
  }
  const auto length = number(info.header("Content-Length"), 10);
  if (info.status == 204 || info.status == 304) return std::string();
  if (length && received.size() >= *length) return std::string(received.substr(0, *length));
  return has_ended ? std::optional(std::string(received)) : std::nullopt;
}

}  // namespace detail
