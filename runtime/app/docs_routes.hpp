// The routes of the framework: the OpenAPI document and its viewer (docs/viewer.md).
#pragma once

#include <nlohmann/json.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openapi/documentation.hpp"
#include "openapi/viewer.hpp"
#include "pipeline/pipeline.hpp"

namespace fw::detail {

/// Used if `openapi.enabled` is set; without the routes, if there are tools of `mcp`, because these
/// need the document. Must outlive its routes.
class DocsRoutes {
 public:
  explicit DocsRoutes(const Environment& env) : env_(env) {}

  /// Adds the document of a mounted table. Appends its errors to `errors`.
  void add_document(std::string_view text, std::vector<std::string>& errors);
  /// Adds the routes to the pipeline, after all others.
  void add_routes(Pipeline& pipeline, std::vector<std::string>& errors);
  /// Builds the served document and runs its hooks. Must be called once before requests.
  void prepare(const Pipeline& pipeline);
  /// After `prepare`.
  const openapi::Documentation& documentation() const { return *documentation_; }

 private:
  void respond_with_document(Request& req, Response& res) const;
  void respond_with_viewer(Request& req, Response& res) const;
  /// None if the program has no viewer.
  std::span<const openapi::ViewerAsset> viewer_assets() const;

  const Environment& env_;
  nlohmann::ordered_json mounted_;  ///< the documents of the tables, until `prepare`
  std::unique_ptr<openapi::Documentation> documentation_;
  std::string viewer_policy_;
  std::string title_;
};

}  // namespace fw::detail
