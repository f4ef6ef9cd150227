// The pages of an application, ready to be rendered, and their scripts and style sheets
// (docs/pages.md).
#pragma once

#include <fairway/generated/route_table.hpp>
#include <fairway/json.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "templates/program.hpp"

namespace fw::pages {

/// A file below the directory of the pages.
struct PageFile {
  std::string path;  ///< "products/list.html"
  std::string content;
};

/// A script or style sheet of a page, as it is served.
struct Asset {
  std::string url;  ///< "/_pages/products/list.3f8a2c91d0b4e567.js"
  std::string content_type;
  std::string content;
};

/// The prefix of the URLs of assets.
inline constexpr std::string_view kAssetPrefix = "/_pages/";

/// What a page is rendered with.
struct Rendering {
  std::string_view page;
  const templates::Data& data;  ///< an object
  const Json& seo;              ///< an object, or null
  bool renders_body = true;     ///< false: `client_only`
  bool hydrates = true;         ///< false: no script and no data for one
  std::string_view nonce = {};  ///< of the content security policy; empty: none
  /// The attribute `lang` of the document, if it is the default one. Empty: English.
  std::string_view language = {};
};

/// What stands for the nonce in static pages. Their content is the application's own, so that it
/// need not be secret.
inline constexpr std::string_view kStaticNonce = "fairway-nonce-of-the-response";

/// What a static page is rendered with; its data is `params` alone.
struct StaticRendering {
  std::string_view page;
  const Json& params;  ///< an object of `static_params`
  const Json& seo;     ///< its strings may contain values: "{{params.name}} – Shop"
  bool renders_body = true;
  bool hydrates = true;
};

/// Immutable and thread-safe.
class PageSet {
 public:
  PageSet() = default;
  PageSet(const PageSet&) = delete;
  PageSet& operator=(const PageSet&) = delete;
  /// Appends the errors of the templates, with file, line and column.
  PageSet(std::vector<PageFile> files, std::vector<std::string>& errors);

  bool has(std::string_view page) const { return pages_.contains(page); }
  bool empty() const { return pages_.empty(); }
  /// A hash of all files: differs if pages may look different.
  const std::string& version() const { return version_; }
  /// "; did you mean 'NAME'?" with the nearest page; empty if none is similar.
  std::string suggestion(std::string_view page) const;

  /// The document as HTML. Throws std::invalid_argument for a page that does not exist.
  std::string render(const Rendering& rendering) const;
  /// The same for a static page, with `kStaticNonce`. Throws std::invalid_argument for a tag in
  /// `seo` that is no value, too.
  std::string render_static(const StaticRendering& rendering) const;
  /// The asset with the URL; null if there is none.
  const Asset* asset(std::string_view url) const;

 private:
  struct Page {
    templates::Program program;
    const Asset* script = nullptr;
    const Asset* style = nullptr;
    /// The size of the last document, for the next one's buffer.
    mutable std::atomic<std::size_t> size{0};
  };

  void add_asset(const PageFile& file);
  void link(Page& page, const std::string& name, const templates::Library& library,
            std::vector<templates::Error>& errors) const;
  const Asset* asset_of(std::string_view name, std::string_view ending) const;
  std::string head(const Rendering& rendering, const Page& page) const;
  std::string scripts(const Rendering& rendering, const Page& page) const;

  std::map<std::string, Page, std::less<>> pages_;
  std::map<std::string, Asset, std::less<>> assets_;  ///< by file
  std::map<std::string_view, const Asset*, std::less<>> by_url_;
  Page document_;
  bool has_own_document_ = false;
  bool names_own_values_ = false;  ///< the document uses `page`, `seo` or `nonce`
  std::string version_;
};

/// The document of applications without `_document.html`.
std::string_view default_document();

/// Appends the elements that `seo` describes: title, description and others.
void append_metadata(std::string& out, const Json& seo);

/// A content security policy that also allows scripts and style sheets with the nonce. The policy
/// is not changed where it allows all inline scripts, which a nonce would take back.
std::string policy_with_nonce(std::string_view policy, std::string_view nonce);

}  // namespace fw::pages

namespace fw::detail {

/// What programs with pages contain; see `Features`. page_set.cpp
struct PageRendering {
  std::shared_ptr<const pages::PageSet> (*make_set)(std::vector<pages::PageFile> files,
                                                    std::vector<std::string>& errors);
  std::string (*render)(const pages::PageSet& set, const pages::Rendering& rendering);
  std::string (*policy_with_nonce)(std::string_view policy, std::string_view nonce);
};

}  // namespace fw::detail
