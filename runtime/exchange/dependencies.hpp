// What code read of its request. A response that is stored for several clients may depend only on
// what belongs to its key (invariants private-stays-private and vary-covers-observed).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

/// The fields in which most clients say who they are, for Vary.
inline constexpr std::string_view kFieldsOfIdentity = "Authorization, Cookie";

/// A part of a request that differs from client to client. Method, host, scheme and route do not
/// count: they belong to every key.
enum class RequestPart : std::uint8_t {
  header,       ///< one field; its name is in lower case
  headers,      ///< all fields
  cookie,       ///< one cookie
  cookies,      ///< all cookies
  address,      ///< of the client
  certificate,  ///< of the client
  session,      ///< of the client
  identity,     ///< `req.auth()`
  language,     ///< that `req.t()` chose
  request_id,
  http_version,  ///< of the client's connection
  query,         ///< one parameter of the query
  queries,       ///< all parameters of the query
  parameter,     ///< one parameter of the path
  path,          ///< as sent
  body,
};

/// Whether a response that depends on this part is private: it identifies a client, or is the
/// version of HTTP, which no field of `Vary` can name. The name of a field may have any case.
bool is_private_part(RequestPart part, std::string_view name);

struct Dependency {
  RequestPart part;
  std::string name = {};  ///< of a field, a cookie or a parameter

  bool operator==(const Dependency&) const = default;
  bool is_private() const { return is_private_part(part, name); }
  /// For messages: "the header field 'x-tenant'".
  std::string describe() const;
};

/// A set of dependencies.
class Dependencies {
 public:
  void add(RequestPart part, std::string_view name = {});
  void add(const Dependencies& others);
  /// Whether the set has the dependency, or one on all parts of its kind.
  bool covers(const Dependency& dependency) const;
  bool has(RequestPart part, std::string_view name = {}) const;
  std::span<const Dependency> all() const { return all_; }

 private:
  std::vector<Dependency> all_;
};

}  // namespace fw::detail
