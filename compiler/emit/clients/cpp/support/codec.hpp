namespace detail {

/// A part of a response does not match the document.
class Mismatch : public std::exception {
 public:
  explicit Mismatch(std::string expected) : expected_(std::move(expected)) {}

  void enter(const std::string& part) { place_ = place_.empty() ? part : part + "/" + place_; }
  std::string text() const { return (place_.empty() ? "" : place_ + " ") + expected_; }
  const char* what() const noexcept override { return expected_.c_str(); }

 private:
  std::string place_;
  std::string expected_;
};

/// Converts between C++ values and JSON.
template <class T>
struct Codec;

template <class T>
Json encode(const T& value) {
  return Codec<T>::encode(value);
}

template <class T>
T decode(const Json& json) {
  return Codec<T>::decode(json);
}

/// Decodes a part; errors contain its name.
template <class T>
T decode_part(const Json& json, const std::string& part) {
  try {
    return decode<T>(json);
  } catch (Mismatch& mismatch) {
    mismatch.enter(part);
    throw;
  }
}

template <>
struct Codec<Json> {
  static Json encode(const Json& value) { return value; }
  static Json decode(const Json& json) { return json; }
};

template <>
struct Codec<std::monostate> {
  static Json encode(std::monostate) { return nullptr; }
  static std::monostate decode(const Json& json) {
    if (!json.is_null()) throw Mismatch("must be null");
    return {};
  }
};

template <class T>
  requires std::is_same_v<T, std::string> || std::is_same_v<T, bool> || std::is_same_v<T, double>
struct Codec<T> {
  static Json encode(const T& value) { return value; }
  static T decode(const Json& json) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!json.is_string()) throw Mismatch("must be a string");
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) throw Mismatch("must be a boolean");
    } else {
      if (!json.is_number()) throw Mismatch("must be a number");
    }
    return json.get<T>();
  }
};

template <class T>
  requires std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>
struct Codec<T> {
  static Json encode(T value) { return value; }
  static T decode(const Json& json) {
    constexpr bool kHasSign = std::is_signed_v<T>;
    if (json.is_number_unsigned()) {
      const auto number = json.get<std::uint64_t>();
      if (std::in_range<T>(number)) return static_cast<T>(number);
    } else if (json.is_number_integer()) {
      const auto number = json.get<std::int64_t>();
      if (std::in_range<T>(number)) return static_cast<T>(number);
    } else if (json.is_number_float()) {
      // 2 to the power of 63 or 64, which a double represents exactly.
      const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const auto number = json.get<double>();
      const bool in_range = number >= (kHasSign ? -beyond : 0) && number < beyond;
      if (in_range && std::trunc(number) == number) return static_cast<T>(number);
    }
    throw Mismatch(kHasSign ? "must be a 64-bit integer" : "must be an unsigned 64-bit integer");
  }
};

template <Enumeration T>
struct Codec<T> {
  static Json encode(T value) { return std::string(to_string(value)); }
  static T decode(const Json& json) {
    const auto value = from_string<T>(Codec<std::string>::decode(json));
    if (!value) throw Mismatch("has the unknown value " + json.dump());
    return *value;
  }
};

template <class T>
struct Codec<Box<T>> {
  static Json encode(const Box<T>& value) { return value ? detail::encode(*value) : Json(); }
  static Box<T> decode(const Json& json) { return detail::decode<T>(json); }
};

/// Null means no value.
template <class T>
struct Codec<std::optional<T>> {
  static Json encode(const std::optional<T>& value) {
    return value ? detail::encode(*value) : Json();
  }
  static std::optional<T> decode(const Json& json) {
    if (json.is_null()) return std::nullopt;
    return detail::decode<T>(json);
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static Json encode(const std::vector<T>& values) {
    Json json = Json::array();
    for (const auto& value : values) json.push_back(detail::encode<T>(value));
    return json;
  }
  static std::vector<T> decode(const Json& json) {
    if (!json.is_array()) throw Mismatch("must be an array");
    std::vector<T> values;
    values.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      values.push_back(decode_part<T>(json[i], std::to_string(i)));
    }
    return values;
  }
};

template <class T>
struct Codec<std::map<std::string, T>> {
  static Json encode(const std::map<std::string, T>& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) json[name] = detail::encode(value);
    return json;
  }
  static std::map<std::string, T> decode(const Json& json) {
    if (!json.is_object()) throw Mismatch("must be an object");
    std::map<std::string, T> values;
    for (const auto& [name, value] : json.items()) {
      values.emplace(name, decode_part<T>(value, name));
    }
    return values;
  }
};

/// Compares the members that can have only one value: they tell alternatives apart.
struct FixedMembers {
  const Json& json;
  bool are_there = false;
  bool match = true;

  template <class T>
  void required(const char* name, const T& value) {
    if constexpr (Enumeration<T>) {
      if (enum_values(value).size() != 1) return;
      are_there = true;
      const auto found = json.find(name);
      match = match && found != json.end() && *found == to_string(value);
    }
  }
  template <class T>
  void optional(const char*, const T&) {}
  template <class T>
  void rest(const T&) {}
};

/// The only alternative whose members with one value have that value, or else the first one that
/// matches.
template <class... Types>
struct Codec<std::variant<Types...>> {
  using Variant = std::variant<Types...>;
  static Json encode(const Variant& value) {
    return std::visit([](const auto& held) { return detail::encode(held); }, value);
  }
  static Variant decode(const Json& json) {
    std::optional<Variant> value;
    if ((int{selects<Types>(json)} + ...) == 1) {
      (decode_selected<Types>(json, value), ...);
    } else {
      (try_alternative<Types>(json, value), ...);
    }
    if (!value) throw Mismatch("matches none of the allowed types");
    return *std::move(value);
  }

 private:
  template <class T>
  static bool selects(const Json& json) {
    if constexpr (is_box<T>) {
      return selects<typename T::value_type>(json);
    } else if constexpr (Record<T>) {
      if (!json.is_object()) return false;
      FixedMembers members{json};
      const T alternative = T();
      T::visit_fields(alternative, members);
      return members.are_there && members.match;
    } else {
      return false;
    }
  }
  /// Its mismatch says more than that nothing matches.
  template <class T>
  static void decode_selected(const Json& json, std::optional<Variant>& value) {
    if (selects<T>(json)) value.emplace(std::in_place_type<T>, detail::decode<T>(json));
  }
  template <class T>
  static void try_alternative(const Json& json, std::optional<Variant>& value) {
    if (value) return;
    try {
      value.emplace(std::in_place_type<T>, detail::decode<T>(json));
    } catch (const Mismatch&) {
      // The next one may match.
    }
  }
};

struct FieldWriter {
  Json& json;

  template <class T>
  void required(const char* name, const T& value) {
    json[name] = encode(value);
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    if (value) json[name] = encode(*value);
  }
  template <class T>
  void rest(const std::map<std::string, T>& values) {
    for (const auto& [name, value] : values) {
      if (!json.contains(name)) json[name] = encode(value);
    }
  }
};

struct FieldReader {
  const Json& json;
  std::set<std::string_view> known = {};

  template <class T>
  void required(const char* name, T& value) {
    known.insert(name);
    const auto found = json.find(name);
    if (found == json.end()) throw Mismatch(std::string("has no member '") + name + "'");
    value = decode_part<T>(*found, name);
  }
  template <class T>
  void optional(const char* name, std::optional<T>& value) {
    known.insert(name);
    const auto found = json.find(name);
    if (found != json.end()) value = decode_part<std::optional<T>>(*found, name);
  }
  template <class T>
  void rest(std::map<std::string, T>& values) {
    for (const auto& [name, value] : json.items()) {
      if (!known.contains(name)) values.emplace(name, decode_part<T>(value, name));
    }
  }
};

template <Record T>
struct Codec<T> {
  static Json encode(const T& value) {
    Json json = Json::object();
    FieldWriter writer{json};
    T::visit_fields(value, writer);
    return json;
  }
  static T decode(const Json& json) {
    if (!json.is_object()) throw Mismatch("must be an object");
    T value;
    FieldReader reader{json};
    T::visit_fields(value, reader);
    return value;
  }
};

}  // namespace detail

/// Makes the types of this file usable with nlohmann::json.
template <class T>
  requires detail::Record<T> || detail::Enumeration<T>
void to_json(Json& json, const T& value) {
  json = detail::encode(value);
}

/// Throws TransportError of kind `malformed` if the value does not match.
template <class T>
  requires detail::Record<T> || detail::Enumeration<T>
void from_json(const Json& json, T& value) {
  try {
    value = detail::decode<T>(json);
  } catch (const detail::Mismatch& mismatch) {
    throw TransportError(TransportError::Kind::malformed, mismatch.text());
  }
}
