// What the application reads of a request: on it depends who may get the response (docs/cache.md).
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "exchange/dependencies.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

class Exchange;

/// Used by one thread at a time. The scopes below say where reads are recorded.
class ObservedReads {
 public:
  /// The application reads a part of the request with this head.
  void add(RequestPart part, std::string_view name, const http::RequestHead& head) {
    if (part == RequestPart::language) has_language_ = true;
    if (!has_private_) has_private_ = is_private_read(part, name, head);
    if (record_ != nullptr) record(part, name);
  }

  /// Whether reads are recorded now.
  bool is_recorded() const { return record_ != nullptr; }
  /// Whether all reads could be recorded. If memory was lacking, nobody knows what the response
  /// depends on, so that nothing may store it.
  bool is_complete() const { return is_complete_; }
  /// Reads of hooks, and of middlewares on cached routes. These run for every request, so that a
  /// cached response does not depend on them. Null: none.
  const Dependencies* each_time() const { return each_time_.get(); }
  /// Whether the application has read something by which it may tell clients apart, on any route. A
  /// field with credentials counts only if the client has sent it. What is known of the identity
  /// does not count: see `RequestIdentity::is_set`.
  bool has_private() const { return has_private_; }
  /// Whether the application, or the message of its error, has used the language of the client.
  bool has_language() const { return has_language_; }

 private:
  friend class ObservationScope;
  friend class EachTimeScope;

  static bool is_private_read(RequestPart part, std::string_view name,
                              const http::RequestHead& head);
  void record(RequestPart part, std::string_view name) noexcept;
  void add_each_time(const Dependencies& reads) noexcept;

  Dependencies* record_ = nullptr;
  std::unique_ptr<Dependencies> each_time_;
  bool has_private_ = false;
  bool has_language_ = false;
  bool is_complete_ = true;
};

/// Records in `dependencies` what the application reads of the request during the lifetime of the
/// scope, also by fw::current_request and by calls that pass on headers; null: nothing.
class ObservationScope {
 public:
  ObservationScope(Exchange& exchange, Dependencies* dependencies);
  ~ObservationScope();
  ObservationScope(const ObservationScope&) = delete;
  ObservationScope& operator=(const ObservationScope&) = delete;

 private:
  Exchange& exchange_;
  Dependencies* const previous_;
  const bool had_used_caller_;
  const bool had_used_headers_;
  const bool had_used_id_;
};

/// Records what code reads that runs for each request: see `ObservedReads::each_time`.
class EachTimeScope {
 public:
  explicit EachTimeScope(Exchange& exchange) : exchange_(exchange) {
    scope_.emplace(exchange, &reads_);
  }
  ~EachTimeScope();
  EachTimeScope(const EachTimeScope&) = delete;
  EachTimeScope& operator=(const EachTimeScope&) = delete;

 private:
  Exchange& exchange_;
  Dependencies reads_;
  std::optional<ObservationScope> scope_;
};

}  // namespace fw::detail
