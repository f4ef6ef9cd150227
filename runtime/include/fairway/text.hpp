// An owned string for declarations. Unlike std::string, it has no constructor from two pointers, so
// braces in an option list are never read as an iterator pair.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

/// A string, made from one literal, std::string or std::string_view.
class Text {
 public:
  Text() = default;  ///< empty
  /// Copies the characters.
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  Text(const T& text) : text_(std::string_view(text)) {}

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
  auto begin() const { return texts_.begin(); }
  auto end() const { return texts_.end(); }
  const Text& operator[](std::size_t index) const { return texts_[index]; }
  /// @}

 private:
  std::vector<Text> texts_;
};

}  // namespace fw
