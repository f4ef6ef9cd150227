// An owned string for declarations. Unlike std::string, it has no constructor from two pointers, so
// braces in an option list are never read as an iterator pair.
#pragma once

#include <fairway/declared.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace fw {

namespace detail {

/// The character of a literal. A constructor from `const C*` is instantiated once, one from a
/// reference once for each length.
template <class C>
concept Character = std::same_as<C, char>;

/// What converts to a string, except for literals.
template <class T>
concept StringLike = !std::is_array_v<T> && std::convertible_to<const T&, std::string_view>;

/// `std::string(text)`
std::string copied(std::string_view text);

}  // namespace detail

/// A string, made from one literal, std::string or std::string_view.
class Text {
 public:
  Text() noexcept;  ///< empty
  /// @{
  /// Copies the characters.
  template <detail::Character C>
  Text(const C* text) : text_(detail::copied(text)) {}
  template <detail::StringLike T>
  Text(const T& text) : text_(detail::copied(text)) {}
  /// @}
  /// @{
  /// Copies and moves.
  Text(const Text& other);
  Text(Text&& other) noexcept;
  Text& operator=(const Text& other);
  Text& operator=(Text&& other) noexcept;
  /// @}
  ~Text();

  /// @{
  /// The characters. The reference and the view are valid as long as the object.
  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }
  operator std::string_view() const { return text_; }
  /// @}

 private:
  std::string text_;
};

/// A list of strings: `{"a", "b"}`.
class TextList {
 public:
  TextList() = default;  ///< empty
  /// `{"a", "b"}`
  TextList(std::initializer_list<Text> texts) : texts_(texts) {}

  /// @{
  /// The strings, in their order.
  bool empty() const { return texts_.empty(); }
  std::size_t size() const { return texts_.size(); }
  const Text* begin() const { return texts_.begin(); }
  const Text* end() const { return texts_.end(); }
  const Text& operator[](std::size_t index) const { return texts_[index]; }
  /// @}

 private:
  detail::List<Text> texts_;
};

}  // namespace fw
