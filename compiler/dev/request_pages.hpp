// The page of `fairway dev` that shows the requests of the program, and what it loads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dev/dev_proxy.hpp"
#include "dev/request_log.hpp"

namespace fairway::dev {

/// What the page shows of the project, besides its requests.
struct ProjectView {
  std::optional<std::uint16_t> port = {};  ///< of the program; nothing if none runs
  std::string failure = {};                ///< why the last change does not run; empty if it does
  unsigned version = 0;                    ///< changes with `failure`
  std::string docs_path = {};              ///< of the documentation viewer; empty: there is none
  std::vector<std::filesystem::path> source_dirs = {};
  std::string editor = {};  ///< for `editor_url`
};

/// The URL that opens a line of a file in an editor: the pattern with its `{file}` and `{line}`.
/// Throws fmt::format_error if there are other braces in the pattern.
std::string editor_url(std::string_view pattern, const std::filesystem::path& file,
                       std::int64_t line);

class RequestPages {
 public:
  static constexpr std::string_view kPath = "/.fairway/dev/requests";

  /// `host` is the address that `fairway dev` listens on.
  RequestPages(const RequestLog& log, std::string host) : log_(log), host_(std::move(host)) {}

  /// Whether the target is the page or a part of it.
  bool owns(std::string_view target) const;
  Decision respond(const ProxyRequest& request, const ProjectView& project) const;

 private:
  bool is_own_host(std::string_view host) const;
  Decision rows(const ProxyRequest& request, const ProjectView& project) const;
  /// Where the route of a request is registered; null if that is not known.
  RequestLog::Json source(RequestLog::Id id, const ProjectView& project) const;

  const RequestLog& log_;
  const std::string host_;
};

}  // namespace fairway::dev
