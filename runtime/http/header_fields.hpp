// The header fields of a message.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw::http {

struct Field {
  std::string_view name;
  std::string_view value;

  bool operator==(const Field&) const = default;
};

/// Header fields in the order and spelling of the message. They are in one buffer, as the lines of
/// a message, which the thread keeps for its next one. Views of names and values are valid until
/// fields are added or changed.
class Fields {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Field;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Field;

    Iterator() = default;
    Iterator(const Fields& fields, std::size_t index) : fields_(&fields), index_(index) {}

    Field operator*() const { return (*fields_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++index_;
      return before;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Fields* fields_ = nullptr;
    std::size_t index_ = 0;
  };

  Fields() = default;
  Fields(std::initializer_list<Field> fields);
  Fields(const Pairs& pairs);
  Fields(const Fields& other);
  Fields(Fields&& other) noexcept = default;
  Fields& operator=(Fields other) noexcept {
    content_.swap(other.content_);
    return *this;
  }
  ~Fields() {
    if (content_) give_back(std::move(content_));
  }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return content_ ? content_->entries.size() : 0; }
  Field operator[](std::size_t index) const { return field_of(content_->entries[index]); }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  Pairs pairs() const;
  /// The lines as they are sent, if they are in the buffer: not if a value has been replaced, or
  /// fields were received.
  std::optional<std::string_view> lines() const;
  /// The size of the lines.
  std::size_t lines_size() const;
  /// The memory of the buffer.
  std::size_t memory() const;

  // These are inlined so that the bits of constant names are constants.

  /// The value of the first field of that name, in any case.
  [[gnu::always_inline]] std::optional<std::string_view> find(std::string_view name) const {
    return may_have(name) ? search_value(name) : std::nullopt;
  }
  /// The index of that field, at `from` or after it; `size()` if there is none.
  [[gnu::always_inline]] std::size_t index_of(std::string_view name, std::size_t from = 0) const {
    return may_have(name) ? search(name, from) : size();
  }
  /// False for most names that no field has. Much faster than a search.
  template <std::convertible_to<std::string_view>... Names>
  [[gnu::always_inline]] bool may_have(const Names&... names) const {
    return content_ && (content_->names & (bit_of(names) | ...)) != 0;
  }

  void add(std::string_view name, std::string_view value);
  /// The same for a name and a value that are known to be valid.
  void add_valid(std::string_view name, std::string_view value) {
    add(name, value);
    mark_valid(size() - 1);
  }
  /// For a parser: copies the lines of a received message at once, whose fields are then added by
  /// `add_received`. Returns the copy, which is followed by `kZeros` zero bytes.
  std::string_view append_received(std::string_view lines);
  static constexpr std::size_t kZeros = 8;
  /// Adds a valid field. `name` and `value` must be views of the last result of `append_received`.
  void add_received(std::string_view name, std::string_view value) {
    const auto at = [text = content_->text.get()](std::string_view part) {
      return static_cast<std::uint32_t>(part.data() - text);
    };
    content_->entries.push_back({at(name), static_cast<std::uint32_t>(name.size()), at(value),
                                 static_cast<std::uint32_t>(value.size()), true});
    content_->names |= bit_of(name);
  }
  /// Adds the fields of another object.
  void add(const Fields& others);
  /// Replaces a value.
  void set_value(std::size_t index, std::string_view value);
  /// Replaces the first field of that name and removes the others; adds one if there is none.
  /// Returns its index.
  std::size_t set(std::string_view name, std::string_view value);
  /// Removes the fields of that name.
  void remove(std::string_view name) { remove_from(0, {&name, 1}); }
  void remove(std::span<const std::string_view> names) { remove_from(0, names); }
  void clear();

  /// Whether the name and value have been found valid, here or where the field was copied from.
  bool is_valid(std::size_t index) const { return content_->entries[index].is_valid; }
  void mark_valid(std::size_t index) { content_->entries[index].is_valid = true; }

  /// Whether `set` has added the field or replaced its value, here or where it was copied from,
  /// since the last call of `forget_set`.
  bool is_set(std::size_t index) const { return content_->entries[index].is_set; }
  void mark_set(std::size_t index) { content_->entries[index].is_set = true; }
  void forget_set();
  /// Whether a field has the name of a field of another object.
  bool shares_name(const Fields& others) const {
    return content_ && others.content_ && (content_->names & others.content_->names) != 0 &&
           search_names(others);
  }

  friend bool operator==(const Fields& a, const Fields& b);

 private:
  /// Positions in the text.
  struct Entry {
    std::uint32_t name;
    std::uint32_t name_size;
    std::uint32_t value;
    std::uint32_t value_size;
    bool is_valid = false;
    bool is_set = false;
  };
  struct Content {
    std::unique_ptr<char[]> text;
    std::size_t size = 0;
    std::size_t capacity = 0;
    std::vector<Entry> entries;
    std::uint64_t names = 0;  ///< the bits of the names, and possibly further ones
    bool is_changed = false;  ///< the text differs from the lines
  };
  struct ThreadLocalFreeList;

  /// A bit for a name in any case, which other names may share.
  static constexpr std::uint64_t bit_of(std::string_view name) {
    if (name.empty()) return 1;
    const auto letter = [](char c) { return static_cast<std::size_t>(c) | 0x20U; };
    return std::uint64_t{1} << (name.size() + 5 * letter(name.front()) + 3 * letter(name.back())) %
                                   64U;
  }
  Field field_of(const Entry& entry) const {
    const char* const text = content_->text.get();
    return {{text + entry.name, entry.name_size}, {text + entry.value, entry.value_size}};
  }
  static void give_back(std::unique_ptr<Content> content) noexcept;
  Content& content() { return content_ ? *content_ : make_content(); }
  Content& make_content();
  /// Makes room for further bytes. Returns the text so far, if it has been replaced.
  std::unique_ptr<char[]> make_room(std::size_t size) {
    return content_->size + size <= content_->capacity ? nullptr : enlarge(size);
  }
  std::unique_ptr<char[]> enlarge(std::size_t size);
  std::size_t search(std::string_view name, std::size_t from) const;
  bool search_names(const Fields& others) const;
  std::optional<std::string_view> search_value(std::string_view name) const;
  void remove_from(std::size_t index, std::span<const std::string_view> names);
  void close_gaps(std::size_t index);

  std::unique_ptr<Content> content_;  ///< null if there was never a field
};

}  // namespace fw::http
