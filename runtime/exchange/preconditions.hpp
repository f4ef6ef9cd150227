// Conditional requests: what a client knows of a representation, compared with what it is
// (RFC 9110, 13).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fw::detail {

class Exchange;

/// A strong entity tag, with its quotation marks, of these bytes.
std::string make_entity_tag(std::string_view bytes);

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

/// Whether the request has a field whose name begins with "If-".
bool has_preconditions(const Exchange& exchange);

/// Evaluates If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since of a GET or HEAD
/// request, in the order of RFC 9110, 13.2.2.
Precondition evaluate_preconditions(Exchange& exchange, const Validators& validators);

/// Whether Range counts: there is no If-Range, or it names this version.
bool allows_range(Exchange& exchange, const Validators& validators);

}  // namespace fw::detail
