// `components.schemas` of the OpenAPI document: named schemas, which related operations share if
// they are equal.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/application.hpp"

namespace fairway::emit {

/// Which part of which operation a schema describes.
struct SchemaUse {
  std::string file;          ///< the route file
  std::string operation_id;  ///< "createOrder"
  std::string part;          ///< "Body", "Form", "Response201"
  bool is_item = false;      ///< whether it describes the items of an array
  std::string event = {};    ///< of a stream; "Line" for lines
  bool is_inferred = false;  ///< whether the handler sends it without a declaration
};

/// The common words of operation ids: the verb of the first id, followed by the words of the noun.
class CommonWords {
 public:
  explicit CommonWords(const std::string& operation_id);

  /// Whether the common words of both contain a noun.
  bool shares_noun_with(const CommonWords& other) const;
  void keep_common(const CommonWords& other);
  /// "Order" of "createOrder"; empty when there is none.
  std::string noun() const;

 private:
  std::vector<std::string> words_;
};

/// Collects schemas while operations are written. Objects become components and operations refer to
/// them; other schemas remain inline. Bodies share equal schemas, and so do responses, within a
/// route file and among operations on the same noun ("createOrder", "getOrder"). A shared schema is
/// named after that noun, or else after its first use. Schemas within a component refer to an equal
/// component, too: the items of a page of orders are orders.
class Components {
 public:
  /// A reference to the body of an error response.
  model::Json error();
  /// A reference to the body of an error response with this code. The component has the name of
  /// the code: "ProductNotFound" for "PRODUCT_NOT_FOUND".
  model::Json error_with_code(const model::Json& code);
  /// A reference to the body of a response to invalid input.
  model::Json validation_error();
  /// A declared schema, or a reference to it.
  model::Json declared(const model::Schema& schema, SchemaUse use);
  /// Like `declared`, for the schema of a C++ type. Its structs and enumerations become components
  /// with the names of their types, which all operations share. A type whose members have defaults
  /// differs in requests and responses; if it is in both, requests have it as "<name>Input".
  model::Json type(const model::Json& schema, SchemaUse use);
  /// A part of the schema of a C++ type in requests, such as one member.
  model::Json part_of_type(const model::Json& type, model::Json part);
  /// Like `declared`, for an object schema in JSON without references.
  model::Json object(model::Json schema, SchemaUse use);

  struct Named {
    std::string name;
    std::vector<SchemaUse> uses;
  };
  /// The declared schemas, with the names that they are given and the uses that share them.
  std::vector<Named> declared_schemas() const;

  /// Names all components: replaces the references in `document`, and appends the components sorted
  /// by name.
  void add_to(model::Json& document);

 private:
  struct Entry {
    model::Json schema;
    std::string name;  ///< a fixed name; empty: derived from the uses
    std::vector<SchemaUse> uses;
    CommonWords common = CommonWords("");  ///< of the uses, where the entry may be shared
  };

  struct TypeEntry {
    std::size_t index = 0;
    bool is_output = false;  ///< whether a response has it
  };

  model::Json reference(std::size_t index) const;
  /// The component that a use may share; empty if there is none.
  std::optional<std::size_t> find(const model::Json& schema, const SchemaUse& use) const;
  /// Replaces the parts of a schema that are components, too, by references.
  void share_within(model::Json& schema, const SchemaUse& use) const;
  model::Json fixed(const std::string& name, const model::Json& schema);
  model::Json json_schema(model::Json schema, SchemaUse use);
  /// The schema, in which references to structs and enumerations lead to their components.
  model::Json with_types(model::Json schema, const model::Json& type, bool is_input);
  /// The component of a struct or an enumeration.
  std::size_t add_type(const std::string& name, const model::Json& types, bool is_input);
  model::Json inline_type(model::Json schema, SchemaUse use);
  std::size_t add_recursive(model::Json schema, const SchemaUse& use);
  std::vector<std::string> names() const;

  std::vector<Entry> entries_;
  std::map<std::string, std::vector<std::size_t>> by_text_;  ///< entries that may be shared
  std::map<std::string, std::size_t> fixed_;
  std::map<std::string, std::size_t> codes_;  ///< of errors, in JSON
  /// Structs and enumerations of C++, by name and by the texts of all that they contain.
  std::map<std::string, std::map<std::string, TypeEntry>> types_;
};

}  // namespace fairway::emit
