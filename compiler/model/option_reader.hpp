// Reads option values in the form of the manifest.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/application.hpp"

namespace fairway::model {

/// Called for each invalid value, which is then ignored.
using ErrorHandler = std::function<void(const std::string&)>;

/// Sets the members of `route` that its options declare. Source ranges remain empty.
void read_options(const Json& options, Route& route, const ErrorHandler& complain);

/// The member of an object; null if there is none.
const Json& member_of(const Json& record, const char* name);

/// The reader that the rows of read_options.cpp use.
class OptionReader {
 public:
  /// Stores the value of a member, which is not null, in the model.
  using Read = void (*)(OptionReader&, std::string_view name, const Json&);

  OptionReader(Route& into, const ErrorHandler& complain) : route(into), complain_(complain) {}

  /// Reads every member of a record that is present and has a reader.
  void read(std::string_view record, const Json& written);

  /// A string; reports anything else and returns an empty string.
  std::string string(std::string_view name, const Json& value) const;
  /// The same for a member; empty if it is absent.
  std::string string_member(const Json& record, const char* name) const;
  bool flag_member(const Json& record, const char* name) const;

  /// A schema in the form of the declaration (see schema/fingerprint.hpp).
  fw::schema::Node schema(const Json& written) const;
  /// The same for a location of a request, or the schema of a C++ type.
  LocationSchema location(std::string_view name, const Json& written) const;
  /// Such a schema, or a JSON Schema.
  Schema response_schema(const Json& written) const;
  /// The members of a message in `receive` or `send`.
  Schema message(std::string_view direction, const Json& written) const;
  /// `{"$events": {name: schema}}` or `{"$lines": schema}`; empty for other values.
  std::optional<Stream> stream(const Json& written) const;

  Route& route;

 private:
  /// Null for a member that the model does not have.
  static Read reader_of(std::string_view record, std::string_view name);
  fw::schema::Node parsed(const Json& dsl) const;

  const ErrorHandler& complain_;
};

}  // namespace fairway::model
