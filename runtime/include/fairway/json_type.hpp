// Completes fw::Json. Applications include <fairway/json.hpp>.
#pragma once

// nlohmann's headers include <filesystem> and <ranges> for two conversions and one trait, a sixth
// of what they cost. The conversions are below; who uses these headers must include them.
#ifndef JSON_HAS_FILESYSTEM
#define JSON_HAS_FILESYSTEM 0
#define JSON_HAS_EXPERIMENTAL_FILESYSTEM 0
#endif
#ifndef JSON_HAS_RANGES
#define JSON_HAS_RANGES 0
#endif
#include <fairway/json_fwd.hpp>

#include <nlohmann/json.hpp>

#include <concepts>
#include <string>

/// The runtime contains its member functions, so that files need not compile them.
extern template class nlohmann::basic_json<>;

namespace fw {

namespace detail {

/// `Json::object()`, whose inline code would be instantiated in each file.
Json json_object();

/// std::filesystem::path, without its header.
template <class T>
concept FilesystemPath = requires(const T& path) {
  typename T::string_type;
  T::preferred_separator;
  { path.lexically_normal() } -> std::same_as<T>;
};

}  // namespace detail

}  // namespace fw

/// A path is a string, as nlohmann's own conversion has it.
template <fw::detail::FilesystemPath T>
struct nlohmann::adl_serializer<T> {
  template <class AnyJson>
  static void to_json(AnyJson& json, const T& path) {
    json = path.string();
  }
  template <class AnyJson>
  static void from_json(const AnyJson& json, T& path) {
    if (!json.is_string()) {
      throw AnyJson::type_error::create(
          302, std::string("type must be string, but is ") + json.type_name(), &json);
    }
    path = json.template get_ref<const std::string&>();
  }
};
