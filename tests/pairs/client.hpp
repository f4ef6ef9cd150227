// Who sends a request. Each value that tells clients apart is unlike any other text of a response,
// so that a search finds the values of one client in the response to another.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

/// What a response may depend on.
enum class Dimension {
  user,
  visitor,
  session,
  host,
  address,
  language,
  origin,
  tenant,
  word,
  query,
  route,
  secret,
};

/// A value that is found by a search.
struct Canary {
  Dimension dimension;
  std::string value;
};

inline constexpr std::string_view kUsers[] = {"user-alice-c4n", "user-bob-c4n"};
inline constexpr std::string_view kTokens[] = {"token-alice-c4n", "token-bob-c4n"};
inline constexpr std::string_view kVisitors[] = {"visitor-alice-c4n", "visitor-bob-c4n"};
inline constexpr std::string_view kHosts[] = {"one.host-c4n.example", "two.host-c4n.example"};
inline constexpr std::string_view kAddresses[] = {"192.0.2.11", "192.0.2.22"};
inline constexpr std::string_view kLanguages[] = {"en-US", "de-DE"};
inline constexpr std::string_view kGreetings[] = {"language-en-c4n", "language-de-c4n"};
inline constexpr std::string_view kOrigins[] = {"https://one.origin-c4n.example",
                                                "https://two.origin-c4n.example"};
inline constexpr std::string_view kTenants[] = {"tenant-red-c4n", "tenant-blue-c4n"};
inline constexpr std::string_view kWords[] = {"word-apple-c4n", "word-pear-c4n"};
inline constexpr std::string_view kQueries[] = {"query-one-c4n", "query-two-c4n"};
/// Before the version of HTTP of the request.
inline constexpr std::string_view kProtocol = "protocol-c4n-";
/// In a field that `Connection` names: it ends at the application.
inline constexpr std::string_view kHop = "hop-c4n";

/// Two clients that differ in one member differ in one dimension.
struct Client {
  std::string name = "anonymous";
  int user = -1;             ///< index of the user; -1: nobody
  bool has_token = false;    ///< sends `Authorization`
  bool has_cookies = false;  ///< sends the cookies of the user
  int host = 0;
  int address = 0;
  int language = 0;
  int origin = 0;  ///< -1: no Origin field
  int tenant = 0;
  bool accepts_gzip = false;
};

/// The cookies that the application has set for each user, by name.
using CookieJars = std::map<int, std::map<std::string, std::string>>;

}  // namespace pairs
