namespace detail {

// Read values straight from JSON text. Each accepts a subset of what Codec<T>::decode accepts, with
// the same results.

template <class T>
void read_entry(JsonReader& in, std::string_view name, std::map<std::string, T>& values) {
  const auto [entry, is_new] = values.try_emplace(std::string(name));
  if (is_new) {
    read_value(in, entry->second);
  } else {
    in.fail();
  }
}

/// Reads the members of a record in one pass over the text. Visits of its fields are repeated: each
/// one reads the members that come in the order of the fields, so that one visit is enough for most
/// objects.
class MemberReader {
 public:
  explicit MemberReader(JsonReader& in) : in_(in), members_(in), has_member_(members_.next()) {}

  template <class T>
  void required(std::string_view name, T& value) {
    required_ |= bit_;
    if (!is_next(name)) return;
    read_value(in_, value);
    next();
  }
  template <class T>
  void optional(std::string_view name, std::optional<T>& value) {
    if (!is_next(name)) return;
    read_value(in_, value);
    next();
  }
  /// The last call of a visit.
  template <class T>
  void rest(std::map<std::string, T>& values) {
    if (!is_unknown()) return;
    read_entry(in_, members_.name(), values);
    next();
  }

  /// Whether members remain for another visit. Otherwise all required ones were there, or the
  /// reader has failed.
  bool remain() {
    if (is_unknown()) {
      in_.skip();
      next();
    }
    if (!has_member_ && (required_ & ~seen_) != 0) in_.fail();
    bit_ = 1;
    is_compared_with_all_ = true;
    return has_member_ && !in_.failed();
  }

 private:
  /// Counts the field.
  bool is_next(std::string_view name) {
    const std::uint64_t bit = std::exchange(bit_, bit_ << 1U);
    if (bit == 0) in_.fail();  // no more than 64 fields are counted
    if (!has_member_ || name != members_.name()) return false;
    if ((seen_ & bit) != 0) in_.fail();
    seen_ |= bit;
    return true;
  }
  void next() {
    has_member_ = members_.next();
    is_compared_with_all_ = false;
  }
  /// At the end of a visit: no field has the name.
  bool is_unknown() const { return has_member_ && is_compared_with_all_; }

  JsonReader& in_;
  JsonMembers members_;
  bool has_member_;
  bool is_compared_with_all_ = true;
  std::uint64_t bit_ = 1;  ///< of the next field
  std::uint64_t required_ = 0;
  std::uint64_t seen_ = 0;
};

template <class T>
void read_value(JsonReader& in, T& value) {
  if constexpr (Record<T>) {
    MemberReader members(in);
    do {
      T::visit_fields(value, members);
    } while (members.remain());
  } else if constexpr (Enumeration<T>) {
    std::string storage;
    if (const auto known = from_string<T>(in.string(storage))) {
      value = *known;
    } else {
      in.fail();
    }
  } else if constexpr (std::is_same_v<T, std::string>) {
    const std::string_view content = in.string(value);
    if (content.data() != value.data()) value = content;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    value = in.integer();
  } else if constexpr (std::is_same_v<T, double>) {
    value = in.number();
  } else if constexpr (std::is_same_v<T, bool>) {
    value = in.boolean();
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    if (!in.null()) in.fail();
  } else {
    // A value of any type, or of one of several: by way of a tree of its part of the text.
    const std::string_view text = in.skip();
    if (in.failed()) return;
    try {
      value = decode<T>(Json::parse(text.begin(), text.end()));
    } catch (const Mismatch&) {
      in.fail();
    }
  }
}

template <class T>
void read_value(JsonReader& in, Box<T>& value) {
  value = T();
  read_value(in, *value);
}

template <class T>
void read_value(JsonReader& in, std::optional<T>& value) {
  // Clang cannot always construct a recursive struct without an argument, because it may have
  // looked for the initialisers of its members too early.
  if (!in.null()) read_value(in, value.emplace(T()));
}

template <class T>
void read_value(JsonReader& in, std::vector<T>& values) {
  in.array([&] {
    T value = {};
    read_value(in, value);
    values.push_back(std::move(value));
  });
}

template <class T>
void read_value(JsonReader& in, std::map<std::string, T>& values) {
  for (JsonMembers members(in); members.next();) read_entry(in, members.name(), values);
}

/// Reads a whole JSON text. False if it has to be parsed as a tree.
template <class T>
bool read_text(std::string_view text, T& value) {
  JsonReader in(text);
  read_value(in, value);
  return in.is_complete();
}

/// The same for the member `data` of the text.
template <class T>
bool read_data_of_text(std::string_view text, T& data) {
  JsonReader in(text);
  MemberReader members(in);
  do {
    members.required("data", data);
  } while (members.remain());
  return in.is_complete();
}

}  // namespace detail
