// An OpenAPI document, or a list of metrics, with access to its nodes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diff/change.hpp"
#include "files/user_error.hpp"
#include "model/application.hpp"

namespace fairway::diff {

/// A document that cannot be compared; the message contains the file and the remedy.
class BadDocument : public UserError {
  using UserError::UserError;
};

/// The maximum nesting of values in files, and the maximum length of chains of references.
inline constexpr std::size_t kMaxDepth = 400;

/// A value in a document; may be empty.
struct Node {
  const Json* value = nullptr;
  std::string pointer;

  explicit operator bool() const { return value != nullptr; }
  /// Empty if this is not an object or has no such member.
  Node member(std::string_view name) const;
  Node item(std::size_t index) const;
};

/// Whether a node has the value `true`.
inline bool is_true(const Node& node) { return node && *node.value == true; }

/// Whether two values are equal, regardless of the order of members.
bool same_value(const Json& one, const Json& other);

class Document {
 public:
  enum class Source {
    openapi,
    manifest,  ///< converted to an OpenAPI document
    metrics,   ///< see diff/metric_list.hpp
  };

  /// Messages call the document `name`.
  Document(std::string name, Json root, Source source = Source::openapi);
  Document(Document&&) = default;  ///< nodes stay valid

  const std::string& name() const { return name_; }
  Source source() const { return source_; }
  Node root() const { return {&root_, ""}; }

  /// The object or array with that name; empty if it is absent. Throws BadDocument for a value of
  /// another type.
  Node object(const Node& parent, std::string_view name) const;
  Node array(const Node& parent, std::string_view name) const;
  /// The target of the `$ref` of `node`, through any number of references, or the node itself if it
  /// has none. Throws BadDocument for a reference without a target, to another file, relative to an
  /// `$id`, or in a circle.
  Node resolved(Node node) const;
  /// One step of `resolved`.
  Node target(const Node& node) const;

  [[noreturn]] void fail(const Node& node, std::string_view what) const;

 private:
  std::string name_;
  Json root_;
  Source source_;
  std::map<std::string, Node> anchors_;  ///< schemas by `$anchor`
  std::set<const Json*> rebased_;        ///< schemas whose references are relative to an `$id`
};

struct OperationNode {
  std::string method;  ///< "GET"
  Node node;
};

/// The operations of a path item. Throws BadDocument if it has a member that is not known: it may
/// be an operation.
std::vector<OperationNode> operations_in(const Document& document, const Node& item);

/// Makes the OpenAPI document of an application; see emit/openapi.hpp.
using DocumentOf = std::function<Json(const model::Application&)>;

/// Reads a file: an OpenAPI document (3.0, 3.1 or 3.2) as JSON or YAML, or a routes manifest, which
/// is converted to the document of its routes by `document_of`, or a list of metrics. Throws
/// BadDocument.
Document read_document(const std::filesystem::path& path, const DocumentOf& document_of);

/// The same for a string.
Document parse_document(const std::string& name, const std::string& text,
                        const DocumentOf& document_of);

// read_manifest.cpp

/// The application whose routes are in a manifest, hidden ones included. The roles, scopes and
/// permissions of `auth` become scopes of the security requirements of `docs`. Throws BadDocument
/// for a manifest of another version, or an invalid one.
model::Application read_manifest(const std::string& name, const Json& manifest);

}  // namespace fairway::diff
