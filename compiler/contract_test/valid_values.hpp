// Values made at random for the schemas of a document, valid and invalid.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract_test/random_source.hpp"
#include "contract_test/schema_check.hpp"

namespace fairway::contract_test {

/// The characters of strings.
enum class Alphabet {
  any,    ///< of every script, with quotation marks, spaces and what URLs reserve
  plain,  ///< letters and digits, as in header fields
};

class ValueMaker {
 public:
  /// Both must outlive the maker.
  ValueMaker(const SchemaChecker& checker, RandomSource& random)
      : checker_(checker), random_(random) {}

  /// A value that matches; empty if none was found, because of a pattern for example.
  std::optional<Json> valid(const Json& schema, Alphabet alphabet = Alphabet::any);
  /// A value that matches, or nearly does.
  Json near(const Json& schema);

 private:
  Json value(const Json& unresolved, int depth);
  Json combined(const Json& schema);
  std::string type_of(const Json& schema);
  Json string(const Json& schema);
  std::string text(std::size_t length);
  std::string text_of_pattern(const std::string& pattern);
  Json number(const Json& schema, const std::string& type);
  std::size_t size(const Json& schema, const char* lower, const char* upper);
  Json object(const Json& schema, int depth);
  Json array(const Json& schema, int depth);
  Json anything();
  void disturb(Json& value);
  /// Whether to leave what the schema says; never for valid values.
  bool strays(std::size_t percent) { return may_stray_ && random_.chance(percent); }

  const SchemaChecker& checker_;
  RandomSource& random_;
  Alphabet alphabet_ = Alphabet::any;
  bool may_stray_ = false;
};

// format_values.cpp

/// A string for a JSON Schema with this `format` and this `pattern`, which are empty if the schema
/// lacks them; nothing if the schema language has no such format. Strings differ each time: an
/// application may accept a value only once, such as the address of a new account, and the items of
/// an array may have to differ. Their names and networks are reserved for documentation.
std::optional<std::string> value_of_format(std::string_view format, std::string_view pattern,
                                           RandomSource& random);

// invalid_values.cpp

enum class Source {
  text,  ///< of a parameter: every value is sent as a string
  json,
};

struct InvalidValue {
  Json value;
  std::string pointer;  ///< of the part that is wrong
  std::string error;    ///< "is of a wrong type", "is missing"
};

/// For every rule of the schema that applies to a part of `valid`, a copy of it that breaks the
/// rule. Leaves out what the runtime converts, such as "5" for 5.
std::vector<InvalidValue> invalid_values(const SchemaChecker& checker, const Json& schema,
                                         const Json& valid, Source source);

}  // namespace fairway::contract_test
