// The key of a stored response.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fw::detail {

/// A path as in keys, the same for all spellings that lead to the same parameters of the route (the
/// normalisation of RFC 3986, 6.2.2): percent sequences of letters, digits and "-._~" are decoded,
/// others are in upper case. The path as sent for routes like "/:name.:format": it is divided where
/// the text between the parameters is, which a percent sequence is not.
std::string plain_path(std::string_view path, std::string_view route_path);

/// A key begins with a prefix, which belongs to one route, so that no client can reach the entries
/// of another one. Then come the host, the base, and what tells further responses apart.
class StoredKey {
 public:
  explicit StoredKey(std::string_view prefix) { append(prefix); }
  StoredKey(const StoredKey& other);
  StoredKey& operator=(const StoredKey&) = delete;

  void append(std::string_view text) {
    make_room(text.size());
    text.copy(text_ + size_, text.size());
    size_ += text.size();
  }
  void append(char c) {
    make_room(1);
    text_[size_++] = c;
  }
  /// Appends the size of a text that may contain anything and comes next, so that no part of it is
  /// taken for what follows it.
  void append_size(std::string_view text);
  void append_language(std::string_view language) {
    append(language);
    append('\n');
    learned_ |= kLanguage;
  }
  /// Whether entries in other languages have other keys.
  bool has_language() const { return (learned_ & kLanguage) != 0; }
  /// `version` is the one of the application's pages.
  void append_pages(std::string_view version) {
    append("pages ");
    append(version);
    append('\n');
    learned_ |= kPages;
  }
  bool has_pages() const { return (learned_ & kPages) != 0; }
  /// Which of these parts the key has.
  std::uint8_t learned() const { return learned_; }
  /// Appends the `plain_path` of a path.
  void append_path(std::string_view path, std::string_view route_path) {
    if (path.find('%') == std::string_view::npos) return append(path);
    append(plain_path(path, route_path));
  }
  /// Appends a host and port without the differences of spelling that do not count.
  void append_host(std::string_view host, bool is_https);

  /// What is appended until `end_base` is the base. `method` must outlive the key; it is empty for
  /// a key of the application.
  void begin_base(std::string_view method) {
    method_ = method;
    base_begin_ = size_;
  }
  void end_base() { base_size_ = size_ - base_begin_; }

  /// The argument of `ResponseCache::erase`: "GET /products?page=2", or the application's key.
  std::string base() const;
  std::string_view full() const { return {text_, size_}; }

 private:
  static constexpr std::uint8_t kLanguage = 1;
  static constexpr std::uint8_t kPages = 2;

  void make_room(std::size_t size) {
    if (size > capacity_ - size_) grow(size);
  }
  void grow(std::size_t by);

  // Most keys need no memory of their own.
  std::array<char, 256> short_text_;
  std::unique_ptr<char[]> long_text_;
  char* text_ = short_text_.data();
  std::size_t capacity_ = short_text_.size();
  std::size_t size_ = 0;
  std::string_view method_;
  std::size_t base_begin_ = 0;
  std::size_t base_size_ = 0;
  std::uint8_t learned_ = 0;
};

/// Entries whose bases have the same number are erased together; less than `kEraseGroups`.
std::size_t erase_group(std::string_view base);
inline constexpr std::size_t kEraseGroups = 1024;

}  // namespace fw::detail
