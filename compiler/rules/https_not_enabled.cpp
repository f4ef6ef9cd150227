// [https-not-enabled]
#include <fmt/format.h>

#include "rules/lints.hpp"

namespace fairway::rules {

void lint_https_not_enabled(const model::AppSettings& settings, model::Diagnostics& diagnostics) {
  if (settings.has_https) return;
  Reporter reporter(diagnostics);
  for (const model::HttpsSetting& setting : settings.https_settings) {
    model::Range whole_file;
    whole_file.file = settings.file;
    reporter.report(rules::https_not_enabled,
                    fmt::format("'{}' needs HTTPS: {}", setting.pointer, setting.consequence),
                    whole_file,
                    "set 'server.tls', or 'trustProxy' if a proxy in front of the server speaks "
                    "TLS");
  }
}

}  // namespace fairway::rules
