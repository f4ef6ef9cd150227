// Names fw::Json, for the headers that <fairway/routes.hpp> consists of. There, the type is
// incomplete until <fairway/json.hpp> is included; everywhere else, this is that header.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <concepts>

// clang-format off
  NLOHMANN_JSON_NAMESPACE_BEGIN
  namespace detail {
  template <class Tree>
  class json_ref;
  }
  NLOHMANN_JSON_NAMESPACE_END
// clang-format on

namespace fw {

/// Any JSON value; null by default. Include <fairway/json.hpp> to use it.
using Json = nlohmann::json;

namespace detail {

/// For the overload with a JsonLiteral of a function that takes an fw::Json: a template is a worse
/// match.
template <class T>
concept WorseMatch = std::same_as<T, void>;

class FieldReader;
class JsonReader;
class JsonWriter;

/// fw::Json in a template that is compiled where it is used. Only then must the type be complete:
/// include <fairway/json.hpp>.
template <class...>
struct CompleteJson {
  using Type = Json;
};
template <class... Types>
using JsonFor = typename CompleteJson<Types...>::Type;

/// @{
/// For arguments that are left out.
const Json& null_json();
const Json& empty_object();
/// @}

}  // namespace detail
}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/json_type.hpp>
#endif
