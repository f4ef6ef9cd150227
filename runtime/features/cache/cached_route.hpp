// How the responses of a route are stored: what a cached route and a revalidated page have in
// common.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "exchange/dependencies.hpp"
#include "exchange/exchange.hpp"
#include "features/cache/stored_responses.hpp"

namespace fw::detail {

/// Thread-safe.
class CachedRoute {
 public:
  struct Lives {
    std::chrono::milliseconds ttl;
    std::chrono::milliseconds stale_for;  ///< after that, while it is renewed
  };

  /// `kind` tells the entries of different features of a route apart.
  CachedRoute(StoredResponses& responses, const Route& route, std::string_view kind, Lives lives,
              std::span<const std::string> tags = {});

  StoredResponses& cache;
  const Lives lives;

  const StoredResponses::Tags& tags() const { return tags_; }
  /// The group of the route's entries in a store that processes share.
  const std::string& group() const { return prefix_; }

  /// The time since a response of this route was stored.
  std::chrono::system_clock::duration age_of(const StoredResponse& response,
                                             std::chrono::system_clock::time_point now) const {
    return now - (response.expires - lives.ttl);
  }

  /// Begins a key: the route, the scheme, the host, and the language and the version of the pages
  /// if responses depend on them, which the caller may know before `learn`.
  StoredKey begin_key(Exchange& exchange, bool has_language = false, bool has_pages = false) const;
  /// Whether the Host field is spelled as in keys: in lower case, without the scheme's port.
  static bool has_plain_host(Exchange& exchange);
  /// The host as in keys, the same for all spellings.
  static std::string plain_host(Exchange& exchange);
  /// From now on, keys contain the language: a response depends on it.
  void learn_language() { has_language_ = true; }
  /// From now on, keys contain the version of the pages: a response is a page. Processes of two
  /// releases that share a store each have entries of their own.
  void learn_pages() { has_pages_ = true; }
  /// Both, as far as the key has them.
  void learn(const StoredKey& key);
  /// Whether the key has what was learned.
  bool is_current(const StoredKey& key) const {
    return key.has_language() == has_language_ && key.has_pages() == has_pages_;
  }

  /// The number of threads that wait for responses to other requests.
  std::atomic<std::size_t>& waiting_threads() const { return waiting_threads_; }

  /// Logs, once for each reason, that responses are not stored: "it sets a cookie".
  void report(Exchange& exchange, std::string_view reason);
  /// The same for something that the key does not contain.
  void report(Exchange& exchange, const Dependency& dependency);

 private:
  const Route& route_;
  const std::string prefix_;
  const std::string http_prefix_;  ///< with the scheme
  const std::string https_prefix_;
  const StoredResponses::Tags tags_;
  std::atomic<bool> has_language_ = false;
  std::atomic<bool> has_pages_ = false;
  mutable std::atomic<std::size_t> waiting_threads_ = 0;
  std::mutex mutex_;  ///< of `reported_`
  std::set<std::string, std::less<>> reported_;
};

/// A host as in keys, the same for all spellings.
std::string plain_host(std::string_view host, bool is_https);

/// A path as in keys, except for percent sequences.
std::string_view without_last_slashes(std::string_view path);

/// The parameters of a query with these names, as sent, in the order of the names: "?page=2"; empty
/// if there are none.
std::string declared_query(std::string_view query, std::span<const std::string> names);

/// Adds what the finished response says of its own dependencies: the names in Vary, except those
/// that `before`, the fields before the handler ran, already had. Returns false if it depends on
/// more than header fields ("*").
bool add_announced(const Exchange& exchange, const http::Fields& before, Dependencies& observed);

}  // namespace fw::detail
