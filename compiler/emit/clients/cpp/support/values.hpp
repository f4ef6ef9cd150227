/// A value of an incomplete type, for recursive schemas. Copies are deep. Reading an empty one is
/// undefined, as with a pointer.
template <class T>
class Box {
 public:
  using value_type = T;

  Box() = default;
  Box(const T& value) : value_(std::make_unique<T>(value)) {}
  Box(const Box& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(Box other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Box() = default;

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }

  friend bool operator==(const Box& a, const Box& b) {
    return a.value_ && b.value_ ? *a.value_ == *b.value_ : !a.value_ && !b.value_;
  }

 private:
  std::unique_ptr<T> value_;
};

namespace detail {

template <class T>
inline constexpr bool is_box = false;
template <class T>
inline constexpr bool is_box<Box<T>> = true;

template <class T>
concept Enumeration = std::is_enum_v<T> && requires(T value) { enum_values(value); };

struct AnyVisitor {
  template <class T>
  void required(const char*, T&&) {}
  template <class T>
  void optional(const char*, T&&) {}
  template <class T>
  void rest(T&&) {}
};
template <class T>
concept Record = requires(T& value, AnyVisitor& visitor) { T::visit_fields(value, visitor); };

}  // namespace detail

/// The string of an enumerator in JSON and in parameters.
template <detail::Enumeration T>
constexpr std::string_view to_string(T value) {
  for (const auto& [each, text] : enum_values(value)) {
    if (each == value) return text;
  }
  return {};
}

/// The enumerator of a string: `from_string<Color>("red")`. Empty for an unknown one.
template <detail::Enumeration T>
constexpr std::optional<T> from_string(std::string_view text) {
  for (const auto& [each, name] : enum_values(T{})) {
    if (name == text) return each;
  }
  return std::nullopt;
}
