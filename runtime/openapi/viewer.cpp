#include "openapi/viewer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/html.hpp"
#include "openapi/openapi_walk.hpp"

namespace fw::openapi {
namespace {

using base::escape_html;

constexpr std::string_view kPage = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" type="image/svg+xml" href="{icon}">
<link rel="stylesheet" href="{swagger_css}">
<link rel="stylesheet" href="{viewer_css}">
</head>
<body>
<header class="bar">
<span class="bar-title"><img src="{icon}" alt="">{title}</span>
<nav><a id="push-link" href="#push" hidden>Events and sockets</a>
<a href="{document}">OpenAPI document</a></nav>
</header>
<noscript><p class="notice">The viewer needs JavaScript. <a href="{document}">The document</a> does
not.</p></noscript>
<main id="viewer" data-document="{document}" data-root="{root}"></main>
<section id="push" class="push" aria-label="Events and sockets" hidden></section>
<footer class="foot">Shown with Swagger UI (<a href="{licenses}">licences</a>)</footer>
<script src="{swagger_js}"></script>
<script src="{push_js}"></script>
<script src="{viewer_js}"></script>
</body>
</html>
)";

/// The relative URL of the application's root: "./" for "/docs", "../" for "/docs/" and "/a/docs".
std::string relative_root(std::string_view request_path) {
  const auto slashes = std::count(request_path.begin(), request_path.end(), '/');
  std::string root;
  for (auto i = slashes; i > 1; --i) root += "../";
  return root.empty() ? "./" : root;
}

std::string_view hashed_name(std::string_view name) {
  for (const ViewerAsset& asset : viewer_assets()) {
    if (asset.name == name) return asset.file_name;
  }
  return name;
}

/// The origin of an absolute URL: "https://api.example.com:8443". Empty for relative URLs, and if
/// the origin contains variables.
std::string_view origin_of(std::string_view url) {
  std::size_t begin = 0;
  if (url.starts_with("https://")) begin = 8;
  if (url.starts_with("http://")) begin = 7;
  if (begin == 0) return {};
  const std::string_view origin = url.substr(0, url.find_first_of("/?#", begin));
  const bool is_plain =
      std::all_of(origin.begin() + static_cast<std::ptrdiff_t>(begin), origin.end(), [](char c) {
        return base::is_alphanumeric(c) ||
               std::string_view(".-:[]").find(c) != std::string_view::npos;
      });
  return is_plain && origin.size() > begin ? origin : std::string_view();
}

}  // namespace

std::string asset_path(std::string_view docs_path, std::string_view file_name) {
  while (docs_path.ends_with('/')) docs_path.remove_suffix(1);
  return fmt::format("{}/{}", docs_path, file_name);
}

std::string viewer_page(std::string_view title, std::string_view request_path,
                        std::string_view docs_path, std::string_view json_path) {
  const std::string root = relative_root(request_path);
  const auto link = [&](std::string_view path) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    return base::escape_html(root + std::string(path));
  };
  const auto asset = [&](std::string_view name) {
    return link(asset_path(docs_path, hashed_name(name)));
  };
  return fmt::format(
      kPage, fmt::arg("title", base::escape_html(title)), fmt::arg("icon", asset("icon.svg")),
      fmt::arg("swagger_css", asset("swagger-ui.css")), fmt::arg("viewer_css", asset("viewer.css")),
      fmt::arg("document", link(json_path)), fmt::arg("root", base::escape_html(root)),
      fmt::arg("licenses", asset("licenses.txt")), fmt::arg("swagger_js", asset("swagger-ui.js")),
      fmt::arg("push_js", asset("push.js")), fmt::arg("viewer_js", asset("viewer.js")));
}

std::string viewer_policy(const OrderedJson& document) {
  std::string connect = "'self'";
  if (const auto* servers = member(document, "servers"); servers && servers->is_array()) {
    for (const OrderedJson& server : *servers) {
      const std::string url = text_member(server, "url");
      if (const std::string_view origin = origin_of(url); !origin.empty()) {
        const std::string_view after_http = origin.substr(std::string_view("http").size());
        connect += fmt::format(" {} ws{}", origin, after_http);
      }
    }
  }
  return fmt::format(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
      "connect-src {}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      connect);
}

}  // namespace fw::openapi

namespace fw::detail {

const DocsViewer kDocsViewer = {.assets = openapi::viewer_assets,
                                .page = openapi::viewer_page,
                                .policy = openapi::viewer_policy};

}  // namespace fw::detail
