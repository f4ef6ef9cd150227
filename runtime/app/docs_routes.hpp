// The framework's own routes: the OpenAPI document and its viewer (reference: Documentation
// metadata; not-shown: Configuration defaults).
#pragma once

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "docs/documentation.hpp"
#include "pipeline/pipeline.hpp"

namespace fw::detail {

/// Only of an application whose `openapi.enabled` is set. Its routes refer to it.
class DocsRoutes {
 public:
  explicit DocsRoutes(const Environment& env) : env_(env) {}

  /// Adds the document of a mounted table. Appends to `errors` what is wrong with it.
  void add_document(std::string_view text, std::vector<std::string>& errors);
  /// Adds the routes to the pipeline, which has all others.
  void add_routes(Pipeline& pipeline, std::vector<std::string>& errors);
  /// Makes the document that is served, between its hooks. Once, before requests come.
  void prepare(const Pipeline& pipeline);

 private:
  void respond_with_document(Request& req, Response& res) const;
  void respond_with_viewer(Request& req, Response& res) const;

  const Environment& env_;
  nlohmann::ordered_json mounted_;  ///< of the tables, until it is prepared
  std::unique_ptr<docs::Documentation> documentation_;
  std::string viewer_policy_;
  std::string title_;
};

}  // namespace fw::detail
