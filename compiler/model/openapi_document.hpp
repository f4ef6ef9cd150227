// What emitters and readers of OpenAPI documents share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.hpp"
#include "schema/openapi_names.hpp"

namespace fairway::model {

using fw::schema::kSchemaReferences;
namespace extensions = fw::schema::extensions;

/// The method for a member of a path item: "GET" for "get".
std::string method_of(std::string_view member);

/// The steps of a JSON pointer without its first slash, unescaped (RFC 6901).
std::vector<std::string> pointer_steps(std::string_view pointer);

/// Calls `visit(schema, pointer)` for each schema of an OpenAPI document, but not for those within
/// other schemas. Examples are data, and so are extensions, except for the schemas of streams and
/// of sockets.
template <class J, class Visit>
class DocumentSchemas {
 public:
  explicit DocumentSchemas(const Visit& visit) : visit_(visit) {}

  void visit_document(J& document) const {
    for (const char* name : {"paths", "webhooks"}) {
      each(document, "", name, [&](J& item, const std::string& at) { visit_path_item(item, at); });
    }
    member(document, "", "components", [&](J& components, const std::string& at) {
      each(components, at, "schemas", visit_);
      visit_operation(components, at);
      each(components, at, "headers",
           [&](J& part, const std::string& to) { visit_body(part, to); });
      each(components, at, "pathItems",
           [&](J& item, const std::string& to) { visit_path_item(item, to); });
      each(components, at, "mediaTypes",
           [&](J& media, const std::string& to) { visit_media_type(media, to); });
      each(components, at, "requestBodies",
           [&](J& body, const std::string& to) { visit_body(body, to); });
    });
  }

 private:
  template <class Use>
  static void member(J& parent, const std::string& pointer, const char* name, const Use& use) {
    if (!parent.is_object()) return;
    const auto found = parent.find(name);
    if (found != parent.end()) use(*found, pointer + "/" + name);
  }

  /// The items of an array, or the members of an object.
  template <class Use>
  static void each(J& parent, const std::string& pointer, const char* name, const Use& use) {
    member(parent, pointer, name, [&](J& parts, const std::string& at) {
      if (!parts.is_structured()) return;
      for (auto& [step, part] : parts.items()) use(part, at + fw::base::pointer_step(step));
    });
  }

  void visit_path_item(J& item, const std::string& pointer) const {
    visit_operation(item, pointer);
    if (!item.is_object()) return;
    for (auto& [name, part] : item.items()) {
      if (!name.starts_with("x-")) visit_operation(part, pointer + fw::base::pointer_step(name));
    }
    each(item, pointer, "additionalOperations",
         [&](J& operation, const std::string& at) { visit_operation(operation, at); });
  }

  /// The members of operations, some of which path items and components have as well.
  void visit_operation(J& operation, const std::string& pointer) const {
    for (const char* name : {"parameters", "responses"}) {
      each(operation, pointer, name, [&](J& part, const std::string& at) { visit_body(part, at); });
    }
    member(operation, pointer, "requestBody",
           [&](J& body, const std::string& at) { visit_body(body, at); });
    member(operation, pointer, extensions::kSocket.data(), [&](J& socket, const std::string& at) {
      each(socket, at, "receive", visit_);
      each(socket, at, "send", visit_);
    });
    each(operation, pointer, "callbacks", [&](J& callback, const std::string& at) {
      if (!callback.is_object()) return;
      for (auto& [name, item] : callback.items()) {
        visit_path_item(item, at + fw::base::pointer_step(name));
      }
    });
  }

  /// A request body, a response, a parameter or a header.
  void visit_body(J& body, const std::string& pointer) const {
    member(body, pointer, "schema", visit_);
    each(body, pointer, "headers",
         [&](J& header, const std::string& at) { visit_body(header, at); });
    each(body, pointer, "content",
         [&](J& media, const std::string& at) { visit_media_type(media, at); });
  }

  void visit_media_type(J& media, const std::string& at) const {
    member(media, at, "schema", visit_);
    member(media, at, "itemSchema", visit_);
    member(media, at, extensions::kLines.data(), visit_);
    each(media, at, extensions::kEvents.data(), visit_);
    each(media, at, "encoding",
         [&](J& encoding, const std::string& to) { visit_body(encoding, to); });
  }

  const Visit& visit_;
};

template <class J, class Visit>
void for_each_document_schema(J& document, const Visit& visit) {
  DocumentSchemas<J, Visit>(visit).visit_document(document);
}

}  // namespace fairway::model
