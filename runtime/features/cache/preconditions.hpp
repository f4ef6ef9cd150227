// Conditional requests: compares the client's validators with the current representation (RFC 9110,
// 13).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/header_fields.hpp"

namespace fw::detail {

class Exchange;

/// A strong entity tag, with its quotation marks, of these bytes.
std::string make_entity_tag(std::string_view bytes);

/// Whether a string is one entity tag: quotation marks begin and end it, and nothing else is one.
bool is_entity_tag(std::string_view text);

enum class TagComparison { weak, strong };

/// Whether a list of entity tags, such as a value of If-None-Match, names `tag`, or is "*". A weak
/// tag never matches in a strong comparison.
bool names_entity_tag(std::string_view list, std::string_view tag, TagComparison comparison);

/// The properties that distinguish versions of a representation.
struct Validators {
  std::string_view entity_tag = {};                ///< with its quotation marks; may be empty
  std::optional<std::int64_t> last_modified = {};  ///< seconds since 1970
};

enum class Precondition {
  met,
  not_modified,  ///< respond with 304: the client has this version
  failed,        ///< respond with 412
};

/// If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since of a GET or HEAD request.
/// Must not outlive the exchange.
class Preconditions {
 public:
  /// Whether the only condition that counts is an If-None-Match with this entity tag alone, as most
  /// clients send it: an If-Modified-Since does not count then (RFC 9110, 13.1.3). `evaluate` would
  /// return `not_modified`.
  static bool is_single_if_none_match(const http::Fields& request, std::string_view tag);

  /// Whether the request may have one of the fields; false for most requests without them.
  static bool may_be_in(const http::Fields& request);

  explicit Preconditions(Exchange& exchange);

  bool empty() const { return !match_ && !none_match_ && !unmodified_since_ && !modified_since_; }
  /// In the order of RFC 9110, 13.2.2.
  Precondition evaluate(const Validators& validators) const;

 private:
  using Condition = std::optional<std::string_view>;

  Condition match_;
  Condition none_match_;
  Condition unmodified_since_;
  Condition modified_since_;
};

/// Whether Range counts: there is no If-Range, or it names this version.
bool allows_range(Exchange& exchange, const Validators& validators);

// conditional_stage.cpp: Entity tags and preconditions of responses (docs/http-caching.md).

/// Responds with 304, without a body, or throws a 412, if the request is a GET or HEAD whose
/// preconditions demand it of the given response. `size` is the size of its body; it is not needed
/// for one that cannot be compressed.
bool respond_to_preconditions(Exchange& exchange, std::optional<std::uint64_t> size);

/// Adds an entity tag to a JSON response, if entity tags are configured and it has none.
void add_entity_tag(Exchange& exchange);

}  // namespace fw::detail
