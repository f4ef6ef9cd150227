// The schemas of a route's responses, by status.
#pragma once

#include <fairway/responses.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "schema/output_schema.hpp"

namespace fw::detail {

/// The events of a stream that a route declares; of lines, one without a name.
struct DeclaredStream {
  struct Event {
    std::string name;
    schema::OutputSchema schema;
    const std::type_info* type;  ///< the struct that always conforms to the schema; null for none
  };

  /// Null if the event is not declared.
  const Event* find(std::string_view name) const;

  StreamSchema::Format format;
  std::vector<Event> events;
};

/// Filled when the route is mounted, constant afterwards.
class ResponseSchemas {
 public:
  /// `selector` is a status ("201"), a family ("2xx") or "default". Throws std::invalid_argument
  /// for an invalid or repeated selector. `type` is the struct that always conforms to the schema;
  /// null for none.
  void add(std::string_view selector, schema::OutputSchema schema,
           const std::type_info* type = nullptr);
  /// The same for a stream.
  void add(std::string_view selector, DeclaredStream stream);

  struct Declared {
    schema::OutputSchema schema;  ///< allows everything for a stream
    const std::type_info* type;
    std::shared_ptr<const DeclaredStream> stream = {};  ///< null: a value
  };
  /// The message for data that does not conform to its schema. `what` names the response: "the
  /// response of GET /".
  static std::string describe(std::string_view what, const FieldError& error);
  /// The schema of a response: exact status, then family, then default. Null if there is none.
  const Declared* find(int status) const;
  /// Whether a stream is declared.
  bool has_stream() const { return has_stream_; }

 private:
  void add(std::string_view selector, Declared declared);

  bool has_stream_ = false;
  std::map<int, Declared> statuses_;
  std::map<int, Declared> families_;  ///< 2 for "2xx"
  std::optional<Declared> default_;
};

}  // namespace fw::detail
