// The schemas of a route's responses, by status.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schema/output_schema.hpp"

namespace fw::detail {

/// Filled when the route is mounted, constant afterwards.
class ResponseSchemas {
 public:
  /// `selector` is a status ("201"), a family ("2xx") or "default". Throws std::invalid_argument
  /// for an invalid or repeated selector.
  void add(std::string_view selector, schema::OutputSchema schema);
  /// The schema of a response: exact status, then family, then default. Null if there is none.
  const schema::OutputSchema* find(int status) const;

 private:
  std::map<int, schema::OutputSchema> statuses_;
  std::map<int, schema::OutputSchema> families_;  ///< 2 for "2xx"
  std::optional<schema::OutputSchema> default_;
};

}  // namespace fw::detail
