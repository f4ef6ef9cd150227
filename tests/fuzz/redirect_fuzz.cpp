// Locations of redirects: where they lead is an http URL without credentials, line breaks or
// blanks.
#include <algorithm>
#include <stdexcept>

#include "base/ascii.hpp"
#include "client/network/url.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fw;
  const client::Url base = client::parse_url("https://api.example.com/v1/users?x=1");
  try {
    const client::Url url = client::resolve_url(base, fuzz::text_of(data, size));
    fuzz::require(url.text.starts_with("http://") || url.text.starts_with("https://"));
    fuzz::require(url.origin.starts_with("http"));
    fuzz::require(std::none_of(url.text.begin(), url.text.end(),
                               [](char c) { return base::is_control(c) || c == ' '; }));
    fuzz::require(url.unix_socket.empty());
    const auto authority = url.text.substr(url.text.find("//") + 2);
    fuzz::require(authority.substr(0, authority.find_first_of("/?")).find('@') ==
                  std::string::npos);
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
