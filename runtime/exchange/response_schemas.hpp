// The schemas of a route's responses, by status.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>

#include "schema/output_schema.hpp"

namespace fw::detail {

/// Filled when the route is mounted, constant afterwards.
class ResponseSchemas {
 public:
  /// `selector` is a status ("201"), a family ("2xx") or "default". Throws std::invalid_argument
  /// for an invalid or repeated selector. `type` is the struct that always conforms to the schema;
  /// null for none.
  void add(std::string_view selector, schema::OutputSchema schema,
           const std::type_info* type = nullptr);

  struct Declared {
    schema::OutputSchema schema;
    const std::type_info* type;
  };
  /// The message for data that does not conform to its schema. `what` names the response: "the
  /// response of GET /".
  static std::string describe(std::string_view what, const FieldError& error);
  /// The schema of a response: exact status, then family, then default. Null if there is none.
  const Declared* find(int status) const;

 private:
  std::map<int, Declared> statuses_;
  std::map<int, Declared> families_;  ///< 2 for "2xx"
  std::optional<Declared> default_;
};

}  // namespace fw::detail
