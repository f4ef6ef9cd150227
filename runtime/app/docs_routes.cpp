#include "app/docs_routes.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/literal_path.hpp"
#include "compression/coding.hpp"
#include "compression/compression_policy.hpp"
#include "features/cache/preconditions.hpp"
#include "openapi/openapi_document.hpp"
#include "openapi/openapi_walk.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kRevalidate = "no-cache";
constexpr std::string_view kForever = "public, max-age=31536000, immutable";
constexpr std::string_view kJson = "application/json; charset=utf-8";

void respond(Response& res, std::string_view content, std::string_view content_type) {
  res.set_header("x-content-type-options", "nosniff").set_header("content-type", content_type);
  res.text(std::string(content));
}

/// Responds with `content`, compressed if possible, or with 304 if the client has it.
void respond_tagged(Request& req, Response& res, std::string_view tag, std::string_view content,
                    std::string_view content_type, std::string_view coding = {}) {
  res.set_header("etag", tag);
  const auto known = req.header("if-none-match");
  if (known && names_entity_tag(*known, tag, TagComparison::weak)) {
    res.status(304);
    content = {};
  } else if (!coding.empty()) {
    res.set_header("content-encoding", coding);
  }
  respond(res, content, content_type);
}

void respond_with_asset(Request& req, Response& res, const openapi::ViewerAsset& asset) {
  res.set_header("cache-control", kForever).set_header("vary", "accept-encoding");
  // Each coding is another representation and needs its own tag.
  if (compression::weight_of_coding(req.header("accept-encoding"), "gzip") > 0) {
    respond_tagged(req, res, fmt::format("\"{}-gzip\"", asset.file_name), asset.gzip,
                   asset.content_type, "gzip");
  } else {
    const auto content = compression::decompress_gzip(asset.gzip);
    respond_tagged(req, res, fmt::format("\"{}\"", asset.file_name),
                   content ? std::string_view(*content) : asset.bytes, asset.content_type);
  }
}

/// The document of an application without mounted routes.
nlohmann::ordered_json empty_document() {
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "API"}, {"version", "0.0.0"}}},
          {"paths", nlohmann::ordered_json::object()}};
}

}  // namespace

void DocsRoutes::add_document(std::string_view text, std::vector<std::string>& errors) {
  if (!text.empty()) openapi::add_document(mounted_, text, errors);
}

void DocsRoutes::add_routes(Pipeline& pipeline, std::vector<std::string>& errors) {
  const OpenApiConfig& config = env_.config.openapi;
  openapi::check_operation_ids(pipeline.routes(), errors);
  // Invalid paths are reported by the configuration check.
  if (!base::is_literal_path(config.json_path) || !base::is_literal_path(config.docs_path)) return;
  const auto add = [&](std::string path, std::string origin, Handler handler) {
    pipeline.add({.method = "GET",
                  .path = std::move(path),
                  .file = std::move(origin),
                  .options = {},
                  .handler = std::move(handler)},
                 errors);
  };
  add(config.json_path, "openapi.jsonPath",
      [this](Request& req, Response& res) { respond_with_document(req, res); });
  const auto assets = viewer_assets();
  if (assets.empty()) return;
  add(config.docs_path, "openapi.docsPath",
      [this](Request& req, Response& res) { respond_with_viewer(req, res); });
  for (const openapi::ViewerAsset& asset : assets) {
    add(openapi::asset_path(config.docs_path, asset.file_name), "openapi.docsPath",
        [&asset](Request& req, Response& res) { respond_with_asset(req, res, asset); });
  }
}

void DocsRoutes::respond_with_document(Request& req, Response& res) const {
  if (documentation_->depends_on_request()) {
    res.set_header("cache-control", "private, no-store");
    respond(res, documentation_->text_for(req), kJson);
  } else {
    res.set_header("cache-control", kRevalidate);
    respond_tagged(req, res, documentation_->entity_tag(), documentation_->text(), kJson);
  }
}

void DocsRoutes::respond_with_viewer(Request& req, Response& res) const {
  const OpenApiConfig& config = env_.config.openapi;
  const std::string page =
      env_.features.docs_viewer->page(title_, req.path(), config.docs_path, config.json_path);
  res.set_header("content-security-policy", viewer_policy_)
      .set_header("referrer-policy", "no-referrer")
      .set_header("cache-control", kRevalidate);
  respond_tagged(req, res, make_entity_tag(page), page, "text/html; charset=utf-8");
}

void DocsRoutes::prepare(const Pipeline& pipeline) {
  hooks::OpenApiBeforeGenerate before{env_.app};
  env_.hooks.emit(before, env_.logger);
  nlohmann::ordered_json document =
      mounted_.is_null() ? empty_document() : std::exchange(mounted_, nullptr);
  const auto routes = pipeline.routes();
  openapi::apply_configuration(document, env_.config, routes);
  hooks::OpenApiAfterGenerate after{env_.app, document};
  env_.hooks.emit(after, env_.logger);
  documentation_ = std::make_unique<openapi::Documentation>(
      std::move(document), routes, env_.config.openapi.docs.access.resolver, env_.logger);
  const auto* info = openapi::member(documentation_->document(), "info");
  title_ = info ? openapi::text_member(*info, "title") : std::string();
  if (title_.empty()) title_ = "API";
  if (!env_.config.openapi.enabled) return;
  if (!viewer_assets().empty()) {
    viewer_policy_ = env_.features.docs_viewer->policy(documentation_->document());
    return;
  }
  env_.logger.info(
      fmt::format("{} is not served: {}", env_.config.openapi.docs_path,
                  env_.features.docs_viewer != nullptr
                      ? "this build of Fairway has no viewer (FAIRWAY_DOCS_VIEWER)"
                      : "the program was built without the viewer, because no file in config/ has "
                        "openapi.enabled; OPTIONS --docs-viewer of fairway_add_app adds it"));
}

std::span<const openapi::ViewerAsset> DocsRoutes::viewer_assets() const {
  const DocsViewer* const viewer = env_.features.docs_viewer;
  return viewer != nullptr ? viewer->assets() : std::span<const openapi::ViewerAsset>();
}

}  // namespace fw::detail
