// The JSON type of the public interface.
#pragma once

#include <nlohmann/json.hpp>

/// The runtime contains its member functions, so that files need not compile them.
extern template class nlohmann::basic_json<>;

namespace fw {

/// Any JSON value; null by default.
using Json = nlohmann::json;

namespace detail {
class FieldReader;
class JsonReader;
class JsonWriter;
}  // namespace detail

}  // namespace fw
