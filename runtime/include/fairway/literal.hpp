// fw::Literal<"card">: a member that always has one value, which distinguishes the
// alternatives of a std::variant.
#pragma once

#include <fairway/fixed_text.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_members.hpp>

#include <compare>
#include <string>
#include <string_view>

namespace fw {

namespace detail {

/// `json = std::string(text)`
void assign_text(Json& json, std::string_view text);
/// Throws Json::exception unless the value is this string.
void require_text(const Json& json, std::string_view text);

}  // namespace detail

/// A string that is known at compile time: `fw::Literal<"card"> kind;`. Input must have exactly
/// this string. Has no state.
template <detail::FixedText kText>
class Literal {
 public:
  /// The string.
  static constexpr std::string_view text() { return kText.view(); }
  /// The string.
  constexpr operator std::string_view() const { return text(); }

  friend constexpr bool operator==(Literal, Literal) { return true; }
  friend constexpr auto operator<=>(Literal, Literal) { return std::strong_ordering::equal; }
  friend constexpr bool operator==(Literal, std::string_view other) { return text() == other; }

  /// @{
  /// Conversions of fw::Json. `from_json` throws Json::exception for another value.
  friend void to_json(Json& json, Literal) { detail::assign_text(json, text()); }
  friend void from_json(const Json& json, Literal&) { detail::require_text(json, text()); }
  /// @}
};

namespace detail {

template <FixedText kText>
struct WrappedJson<Literal<kText>> {
  using Value = std::string;

  static std::string_view value(Literal<kText>) { return kText.view(); }
  static bool assign(Literal<kText>&, const Value& value) { return value == kText.view(); }
};

}  // namespace detail

}  // namespace fw
