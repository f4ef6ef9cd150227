// The routes of the framework's own: the OpenAPI document and its viewer (reference: Documentation
// metadata; not-shown: Configuration defaults).
#include <fmt/format.h>

#include <utility>

#include "app/app_core.hpp"
#include "config/config_errors.hpp"
#include "docs/documentation.hpp"
#include "docs/openapi_document.hpp"
#include "docs/openapi_walk.hpp"
#include "docs/viewer_assets.hpp"
#include "docs/viewer_page.hpp"
#include "exchange/exchange.hpp"
#include "exchange/negotiation.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kRevalidate = "no-cache";
constexpr std::string_view kForever = "public, max-age=31536000, immutable";

/// Responds with `content` in a coding, if it has one, or with 304 when the client has it.
void respond_tagged(Request& req, Response& res, std::string_view tag, std::string_view content,
                    std::string_view content_type, std::string_view coding = {}) {
  res.set_header("etag", tag).set_header("x-content-type-options", "nosniff");
  const auto known = req.header("if-none-match");
  if (known && names_entity_tag(*known, tag)) {
    res.status(304);
    content = {};
  } else if (!coding.empty()) {
    res.set_header("content-encoding", coding);
  }
  req.exchange().outgoing.text(std::string(content), content_type, std::nullopt);
}

void respond_with_asset(Request& req, Response& res, const docs::ViewerAsset& asset) {
  res.set_header("cache-control", kForever).set_header("vary", "accept-encoding");
  // Each coding is a representation of its own, and needs a tag of its own.
  if (takes_coding(req.header("accept-encoding"), "gzip")) {
    respond_tagged(req, res, fmt::format("\"{}-gzip\"", asset.file_name), asset.gzip,
                   asset.content_type, "gzip");
  } else {
    respond_tagged(req, res, fmt::format("\"{}\"", asset.file_name), asset.bytes,
                   asset.content_type);
  }
}

/// Of an application that mounted no table with routes.
nlohmann::ordered_json empty_document() {
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "API"}, {"version", "0.0.0"}}},
          {"paths", nlohmann::ordered_json::object()}};
}

}  // namespace

void AppCore::add_own_route(std::string path, std::string origin, Handler handler) {
  pipeline_.add({.method = "GET",
                 .path = std::move(path),
                 .file = std::move(origin),
                 .options = {},
                 .handler = std::move(handler)},
                errors_);
}

void AppCore::add_docs_routes() {
  const OpenApiConfig& config = env.config.openapi;
  docs::check_operation_ids(pipeline_.routes(), errors_);
  // Reported with the configuration; nothing can be served there.
  if (!is_plain_path(config.json_path) || !is_plain_path(config.docs_path)) return;
  add_own_route(config.json_path, "openapi.jsonPath", [this](Request& req, Response& res) {
    if (documentation_->depends_on_request()) {
      res.set_header("cache-control", "private, no-store");
      res.set_header("x-content-type-options", "nosniff");
      req.exchange().outgoing.text(documentation_->text_for(req), "application/json; charset=utf-8",
                                   std::nullopt);
    } else {
      res.set_header("cache-control", kRevalidate);
      respond_tagged(req, res, documentation_->entity_tag(), documentation_->text(),
                     "application/json; charset=utf-8");
    }
  });
  if (docs::viewer_assets().empty()) return;
  add_own_route(config.docs_path, "openapi.docsPath", [this](Request& req, Response& res) {
    res.set_header("content-security-policy", docs_policy_);
    res.set_header("referrer-policy", "no-referrer");
    const OpenApiConfig& paths = env.config.openapi;
    const std::string page =
        docs::viewer_page(docs_title_, req.path(), paths.docs_path, paths.json_path);
    res.set_header("cache-control", kRevalidate);
    respond_tagged(req, res, make_entity_tag(page), page, "text/html; charset=utf-8");
  });
  for (const docs::ViewerAsset& asset : docs::viewer_assets()) {
    add_own_route(docs::asset_path(config.docs_path, asset.file_name), "openapi.docsPath",
                  [&asset](Request& req, Response& res) { respond_with_asset(req, res, asset); });
  }
}

void AppCore::prepare_documentation() {
  hooks::OpenApiBeforeGenerate before{app_};
  env.hooks.emit(before, env.logger);
  if (openapi_.is_null()) openapi_ = empty_document();
  const auto routes = pipeline_.routes();
  docs::apply_configuration(openapi_, env.config, routes);
  hooks::OpenApiAfterGenerate after{app_, openapi_};
  env.hooks.emit(after, env.logger);
  documentation_ = std::make_unique<docs::Documentation>(
      std::move(openapi_), routes, env.config.openapi.docs.access.resolver, env.logger);
  docs_policy_ = docs::viewer_policy(documentation_->document());
  const auto* info = docs::member(documentation_->document(), "info");
  docs_title_ = info ? docs::text_member(*info, "title") : std::string();
  if (docs_title_.empty()) docs_title_ = "API";
  if (docs::viewer_assets().empty()) {
    env.logger.info(
        fmt::format("{} is not served: this build of Fairway has no viewer (FAIRWAY_DOCS_VIEWER)",
                    env.config.openapi.docs_path));
  }
}

}  // namespace fw::detail
