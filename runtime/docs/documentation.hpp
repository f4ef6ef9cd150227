// The document as requests see it: all of it, or what `openapi.docs.access` leaves.
#pragma once

#include <fairway/docs_access.hpp>
#include <fairway/logger.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "docs/unused_components.hpp"
#include "exchange/route.hpp"

namespace fw::docs {

/// Immutable; used by many threads at a time.
class Documentation {
 public:
  /// An empty `resolver` leaves every operation as its route declares. `logger` must live on.
  Documentation(nlohmann::ordered_json document, std::span<const detail::Route* const> routes,
                DocsAccessResolver resolver, const Logger& logger);

  /// Whether two requests may see different documents.
  bool depends_on_request() const { return resolver_ != nullptr; }
  /// The document's text for everybody, and its entity tag; empty when it depends on the request.
  const std::string& text() const { return text_; }
  const std::string& entity_tag() const { return entity_tag_; }
  std::string text_for(Request& request) const;
  const nlohmann::ordered_json& document() const { return document_; }

 private:
  struct Operation {
    std::string member;  ///< of the path item: "get"
    DocsDescriptor descriptor;
  };

  DocsVisibility resolve(Request& request, const DocsDescriptor& descriptor) const;
  /// The document for what each operation, in order, is to be.
  nlohmann::ordered_json view(const std::vector<DocsVisibility>& visibilities) const;

  nlohmann::ordered_json document_;
  std::vector<Operation> operations_;
  ComponentNames unused_;
  DocsAccessResolver resolver_;
  const Logger& logger_;
  std::string text_;
  std::string entity_tag_;
  /// Texts by what the resolver said of the operations: few sets of rights ask again and again.
  mutable std::mutex views_mutex_;
  mutable std::map<std::string, std::string> views_;
};

}  // namespace fw::docs
