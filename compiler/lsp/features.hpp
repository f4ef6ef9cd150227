// What the server offers for a document. Results are values of the protocol.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lsp/application_source.hpp"
#include "lsp/documents.hpp"

namespace fairway::lsp {

/// The place of a request: a document with the text from which the snapshot was made.
struct View {
  const Snapshot& snapshot;
  const Documents& documents;
  diagnostics::SourceText& sources;  ///< of the snapshot
  const Document& document;

  /// Whether a range is in the document, and the position in the range.
  bool is_at(const model::Range& range, const Position& position) const;
  bool is_in_document(const model::Range& range) const;
  Json location(const model::Range& range) const;

  mutable std::map<std::string, bool> is_document = {};  ///< by the file of a range
};

/// A registration of the document, with the routes that it serves: several if it is re-exported.
struct RegisteredRoutes {
  const model::Registration* registration = nullptr;
  std::vector<const model::Route*> routes;
};
std::vector<RegisteredRoutes> routes_in(const View& view);

// diagnostics.cpp

/// The diagnostics of the document, as for `textDocument/publishDiagnostics`.
Json diagnostics_of(const View& view);
/// Quick fixes for the diagnostics that touch a range.
Json code_actions(const View& view, const Position& begin, const Position& end);

// hover.cpp: Describes a route on its method and its path. Shows the schema of a C++ type where it
// is declared or used, and the schema of a member. Null elsewhere.
Json hover(const View& view, const Position& position);

// navigation.cpp

/// The file that a middleware, a page or a re-exported file refers to. Null if there is none.
Json definition(const View& view, const Position& position);
/// The routes of the document.
Json document_symbols(const View& view);

// completion.cpp: Completion inside strings: types of schemas, middlewares, path parameters, pages.

/// The names of an application that completion offers. They outlast the text from which they come.
struct CompletionNames {
  std::string source_dir;
  std::vector<std::string> middlewares;
  std::vector<std::string> pages;
};
CompletionNames completion_names(const Snapshot& snapshot);
Json to_json(const CompletionNames& names);
CompletionNames completion_names_from(const Json& json);

Json completion(const CompletionNames& names, const Document& document, const Position& position);

// completion_context.cpp: What is being typed, from the text alone: it need not compile.

struct CompletionContext {
  enum class Kind { none, schema_type, middleware, path_parameter, page };

  Kind kind = Kind::none;
  std::size_t begin = 0;  ///< of the word to complete
  std::size_t end = 0;
  std::string subpath;  ///< path_parameter: the path of the registration
};

/// The context of an offset in a source file.
CompletionContext completion_context(const std::string& text, std::size_t offset);

}  // namespace fairway::lsp
