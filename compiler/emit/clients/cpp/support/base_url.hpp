namespace detail {

/// The parts of ClientOptions::base_url.
struct BaseUrl {
  bool secure = false;
  std::string host = {};  ///< an IPv6 address without its brackets
  int port = 0;
  std::string prefix = {};  ///< "/v1"
};

/// Throws std::invalid_argument for other URLs.
inline BaseUrl parse_base_url(const std::string& text) {
  const auto invalid = [&](const char* reason) {
    return std::invalid_argument("the base URL '" + text + "' " + reason);
  };
  BaseUrl url;
  std::string_view rest = text;
  if (rest.substr(0, 8) == "https://") {
    url.secure = true;
    rest.remove_prefix(8);
  } else if (rest.substr(0, 7) == "http://") {
    rest.remove_prefix(7);
  } else {
    throw invalid("must begin with http:// or https://");
  }
  const auto unusual = [](char c) {
    return is_control(c) || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view(" ?#@\\\"<>").find(c) != std::string_view::npos;
  };
  if (std::any_of(rest.begin(), rest.end(), unusual)) {
    throw invalid("can contain a host, a port and a path only");
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  url.prefix = rest.substr(slash);
  while (!url.prefix.empty() && url.prefix.back() == '/') url.prefix.pop_back();
  std::string_view authority = rest.substr(0, slash);
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) throw invalid("lacks the ']' after its address");
    url.host = authority.substr(1, close - 1);
    authority.remove_prefix(close + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    authority.remove_prefix(colon);
  }
  if (url.host.empty()) throw invalid("has no host");
  url.port = url.secure ? 443 : 80;
  if (!authority.empty()) {
    const char* end = authority.data() + authority.size();
    const auto [parsed, error] = std::from_chars(authority.data() + 1, end, url.port);
    const bool is_port = authority.front() == ':' && error == std::errc() && parsed == end &&
                         url.port > 0 && url.port < 65536;
    if (!is_port) throw invalid("has no port between 1 and 65535 after its host");
  }
  return url;
}

}  // namespace detail
