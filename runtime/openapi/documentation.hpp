// The document for a request: all of it, or the part that `openapi.docs.access` allows.
#pragma once

#include <fairway/docs_access.hpp>
#include <fairway/logger.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/route.hpp"
#include "openapi/openapi_document.hpp"

namespace fw::openapi {

/// Immutable and thread-safe.
class Documentation {
 public:
  /// If `resolver` is empty, the declarations of routes apply. `logger` must outlive the object.
  Documentation(nlohmann::ordered_json document, std::span<const detail::Route* const> routes,
                DocsAccessResolver resolver, const Logger& logger);

  /// Whether two requests may see different documents.
  bool depends_on_request() const { return resolver_ != nullptr; }
  /// The text of the document and its entity tag; empty if they depend on the request.
  const std::string& text() const { return text_; }
  const std::string& entity_tag() const { return entity_tag_; }
  std::string text_for(Request& request) const;
  /// Whether the document for the request has the operation.
  bool shows(Request& request, std::string_view operation_id) const;
  const nlohmann::ordered_json& document() const { return document_; }

 private:
  struct Operation {
    std::string member;  ///< of the path item: "get"
    DocsDescriptor descriptor;
  };

  DocsVisibility resolve(Request& request, const DocsDescriptor& descriptor) const;
  /// The document with these visibilities of the operations, in order.
  nlohmann::ordered_json view(const std::vector<DocsVisibility>& visibilities) const;

  nlohmann::ordered_json document_;
  std::vector<Operation> operations_;
  ComponentNames unused_;
  DocsAccessResolver resolver_;
  const Logger& logger_;
  std::string text_;
  std::string entity_tag_;
  /// Cached texts by the results of the resolver, because usually there are few sets of rights.
  mutable std::mutex views_mutex_;
  mutable std::map<std::string, std::string> views_;
};

}  // namespace fw::openapi
