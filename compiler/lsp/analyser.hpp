// The analysing side of the language server, in a process of its own (rpc/helper_process.hpp).
#pragma once

#include <optional>
#include <string_view>

#include "lsp/application_source.hpp"
#include "lsp/documents.hpp"

namespace fairway::lsp {

inline constexpr std::string_view kAnalyse = "fairway/analyse";

/// Keeps the documents as of the last analysis, and responds to requests about them: requests of
/// the protocol with their own parameters, and
///
///   fairway/analyse {closed: [URI], opened: [{uri, version, text}], diskHasChanged}
///     -> {documents: {URI: [Diagnostic]}, names: CompletionNames, error, isMissing}
///
/// `documents` are those that the application has read; `names` is null if it cannot be read.
class Analyser {
 public:
  explicit Analyser(ApplicationSource& source) : source_(source) {}

  /// Responds to the messages of a connection until its end.
  void run(int connection);

 private:
  Json analyse(const Json& params);
  Json ask(std::string_view method, const Json& params) const;

  ApplicationSource& source_;
  Documents documents_;
  std::optional<Snapshot> snapshot_;  ///< empty if the application cannot be read
};

}  // namespace fairway::lsp
