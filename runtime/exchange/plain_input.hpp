// What the handler of a cached route sees of its request instead of what the client has sent.
#pragma once

#include <fairway/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fw::detail {

/// All spellings of a host, a path and a query have one key, and so one response. Its handler sees
/// the spelling of the key: otherwise the response could repeat the spelling of one client, and
/// could not be stored.
struct PlainInput {
  std::optional<std::string> host = {};    ///< empty: as sent
  std::optional<std::string> path = {};    ///< likewise
  std::optional<std::string> target = {};  ///< likewise; path and query
  /// The query parameters of the key. The validated query of the handler has no others than these
  /// and the declared ones. Null: all are part of the key.
  const std::vector<std::string>* query = nullptr;
  std::optional<Json> valid_query = {};  ///< the validated query after that; empty until it is read
};

}  // namespace fw::detail
