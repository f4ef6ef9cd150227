// fw::Items<T, least, most>: a std::vector whose number of items has bounds.
#pragma once

#include <fairway/generated/json_reader.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_members.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fw {

namespace detail {

/// "an fw::Items needs at least 1 items, and has 0"
[[noreturn]] void throw_wrong_count(std::size_t count, std::size_t least, std::size_t most);
/// The error of a JSON array with too few or too many items, Json::out_of_range.
[[noreturn]] void throw_wrong_count(const Json& array, std::size_t count);

}  // namespace detail

/// A list of at least `kMinSize` and at most `kMaxSize` items. Only one that is made without items
/// may have fewer.
template <class T, std::size_t kMinSize,
          std::size_t kMaxSize = std::numeric_limits<std::size_t>::max()>
class Items {
  static_assert(kMinSize <= kMaxSize,
                "fw::Items<T, least, most>: least must not be greater than most");

 public:
  using value_type = T;                                                    ///< of an item
  using iterator = typename std::vector<T>::iterator;                      ///< of `begin`
  using const_iterator = typename std::vector<T>::const_iterator;          ///< of `begin`
  static constexpr detail::Range<std::size_t> kCount{kMinSize, kMaxSize};  ///< the bounds

  Items() = default;  ///< no items, whatever the bounds are
  /// @{
  /// These items. Throws std::invalid_argument if there are too few or too many.
  Items(std::vector<T> items) : items_(std::move(items)) { check(); }
  Items(std::initializer_list<T> items) : items_(items) { check(); }
  /// @}

  /// @{
  /// The items.
  const std::vector<T>& value() const& { return items_; }
  std::vector<T> value() && { return std::move(items_); }
  operator const std::vector<T>&() const { return items_; }
  /// @}

  /// @{
  /// As of std::vector.
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  const T& operator[](std::size_t index) const { return items_[index]; }
  T& operator[](std::size_t index) { return items_[index]; }
  const T& front() const { return items_.front(); }
  const T& back() const { return items_.back(); }
  const_iterator begin() const { return items_.begin(); }
  const_iterator end() const { return items_.end(); }
  iterator begin() { return items_.begin(); }
  iterator end() { return items_.end(); }
  /// @}
  /// Adds an item. Throws std::invalid_argument if there are `kMaxSize` already.
  void push_back(T item) {
    if (items_.size() >= kMaxSize) detail::throw_wrong_count(items_.size() + 1, kMinSize, kMaxSize);
    items_.push_back(std::move(item));
  }

  friend bool operator==(const Items&, const Items&) = default;
  /// A template, because the order of some types, such as std::variant, is only known where it is
  /// used.
  template <std::same_as<Items> Other>
  friend auto operator<=>(const Items& items, const Other& other) {
    return items.items_ <=> other.items_;
  }
  friend bool operator==(const Items& items, const std::vector<T>& other) {
    return items.items_ == other;
  }

  /// @{
  /// Conversions of fw::Json. `from_json` throws Json::exception for a value that is no array of T,
  /// or is outside the bounds.
  friend void to_json(Json& json, const Items& items)
    requires std::convertible_to<const std::vector<T>&, Json>
  {
    static_cast<detail::JsonFor<T>&>(json) = items.items_;
  }
  friend void from_json(const Json& json, Items& items) {
    auto read = static_cast<const detail::JsonFor<T>&>(json).template get<std::vector<T>>();
    if (!kCount.contains(read.size())) detail::throw_wrong_count(json, read.size());
    items.items_ = std::move(read);
  }
  /// @}

 private:
  friend struct detail::WrappedJson<Items>;

  void check() const {
    if (!kCount.contains(items_.size())) {
      detail::throw_wrong_count(items_.size(), kMinSize, kMaxSize);
    }
  }

  std::vector<T> items_;
};

namespace detail {

template <class T, std::size_t kMinSize, std::size_t kMaxSize>
struct WrappedJson<Items<T, kMinSize, kMaxSize>> {
  using Type = Items<T, kMinSize, kMaxSize>;
  using Value = std::vector<T>;

  static const Value& value(const Type& items) { return items.items_; }
  /// For readers, which check the bounds.
  static Value& unchecked(Type& items) { return items.items_; }
  static bool assign(Type& items, Value&& value) {
    if (!Type::kCount.contains(value.size())) return false;
    items.items_ = std::move(value);
    return true;
  }
};

}  // namespace detail

}  // namespace fw
