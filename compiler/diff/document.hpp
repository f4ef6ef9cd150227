// An OpenAPI document whose parts are found by their node.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "diff/change.hpp"
#include "files/user_error.hpp"

namespace fairway::diff {

/// Input that cannot be compared; the message names the file and says what to do.
class BadDocument : public UserError {
  using UserError::UserError;
};

/// Nesting beyond this is an error, in files and in chains of references.
inline constexpr std::size_t kDeepest = 400;

/// A value within a document, or nothing.
struct Node {
  const Json* value = nullptr;
  std::string pointer;

  explicit operator bool() const { return value != nullptr; }
  /// Nothing when this is no object or has no such member.
  Node member(std::string_view name) const;
  Node item(std::size_t index) const;
};

/// Whether a node has the value `true`.
inline bool is_true(const Node& node) { return node && *node.value == true; }

/// Equal whatever the order of members.
bool same_value(const Json& one, const Json& other);

class Document {
 public:
  enum class Source { openapi, manifest };

  /// `name` is what messages call it.
  Document(std::string name, Json root, Source source = Source::openapi);

  const std::string& name() const { return name_; }
  Source source() const { return source_; }
  Node root() const { return {&root_, ""}; }

  /// The object or array of that name, nothing when absent. Throws BadDocument when it is
  /// something else.
  Node object(const Node& parent, std::string_view name) const;
  Node array(const Node& parent, std::string_view name) const;
  /// What a `$ref` of `node` leads to, through any number of references; else the node itself.
  /// Throws BadDocument for one that leads nowhere, out of the document or in a circle.
  Node resolved(Node node) const;
  /// One step of `resolved`.
  Node target(const Node& node) const;

  [[noreturn]] void fail(const Node& node, std::string_view what) const;

 private:
  std::string name_;
  Json root_;
  Source source_;
};

/// Reads a file: an OpenAPI 3.0 or 3.1 document as JSON or YAML, or a routes manifest, which
/// becomes the document of its routes. Throws BadDocument.
Document read_document(const std::filesystem::path& path);

/// The same of a string.
Document parse_document(const std::string& name, const std::string& text);

// manifest_document.cpp: Manifests as documents.

/// The OpenAPI document of the routes in a manifest, hidden ones included. The roles, scopes and
/// permissions of `auth` become scopes of its security requirements. Throws BadDocument for a
/// manifest of another version, or one that no compiler has written.
Json manifest_document(const std::string& name, const Json& manifest);

}  // namespace fairway::diff
