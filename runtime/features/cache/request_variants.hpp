// What tells the requests of a cached route apart: their keys, the fields of Vary, and what a key
// covers of what a handler has read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.hpp"
#include "exchange/dependencies.hpp"
#include "exchange/exchange.hpp"
#include "exchange/route.hpp"
#include "features/cache/stored_key.hpp"

namespace fw::detail {

/// What a request asks for, besides the route and the host.
struct RequestVariant {
  std::string partition = {};
  Dependencies declared = {};  ///< what `key` and `partition_key` read
  /// What `condition` reads. It does not tell apart what the key contains.
  const Dependencies& of_condition;
  bool is_authorized = false;
  std::string preset = {};  ///< see `preset_of`
};

/// The variants of a cached route. Thread-safe.
class RequestVariants {
 public:
  RequestVariants(const Route& route, const RouteCacheOptions& options);

  bool is_authorized(Exchange& exchange) const;
  /// Completes the key that `CachedRoute` has begun. Returns false if the request is not cached.
  bool complete_key(Exchange& exchange, StoredKey& key, RequestVariant& variant) const;

  /// Whether the response is for one client, or for some.
  bool is_private(const RequestVariant& variant) const;
  /// The names of the header fields that the key contains, and of those with the credentials of
  /// clients, for Vary: caches of clients need them, too. Null if there are none.
  const std::string* vary_of(bool has_language, const RequestVariant& variant) const;
  /// Whether the key contains what the response depends on.
  bool is_covered(const Dependency& dependency, const RequestVariant& variant) const;
  /// What the handler sees of the request; null if that is what the client has sent.
  PlainInput* plain_input(Exchange& exchange) const;

 private:
  bool has_header(std::string_view name) const;
  bool requires_input_of_client(const Route& route) const;
  std::string own_key(Exchange& exchange, RequestVariant& variant) const;
  void append_target(StoredKey& key, Exchange& exchange) const;
  PlainInput spelled_as_in_key(Exchange& exchange) const;

  const RouteCacheOptions& options_;
  const std::string base_method_;     ///< in keys: HEAD uses the entries of GET
  const bool needs_certificate_;      ///< whether its clients are known by their certificates
  const bool has_own_key_;            ///< whether the options have a key
  std::vector<std::string> headers_;  ///< lower case
  std::optional<std::vector<std::string>> query_;
  bool is_guarded_ = false;  ///< whether not all clients get responses, or the same ones
  base::StringPool& credential_fields_;  ///< of the route
  std::string vary_;                     ///< the names in `headers`
  std::string vary_with_language_;
  mutable base::StringPool varies_;  ///< other lists of names; thread-safe
};

/// What middlewares and hooks have set before the handler runs that becomes a part of its response:
/// the status and the media type, unless the handler sets its own.
std::string preset_of(const OutgoingResponse& outgoing);

/// Whether this response would be a page with a nonce if the handler rendered one.
bool may_need_nonce(const Exchange& exchange);

std::vector<std::string> strings_of(const TextList& list);

}  // namespace fw::detail
