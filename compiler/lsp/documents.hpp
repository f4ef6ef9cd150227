// The files that the editor has open, and the positions and URIs of the protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "diagnostics/source_text.hpp"
#include "files/input.hpp"
#include "model/range.hpp"
#include "rpc/json_rpc.hpp"

namespace fairway::lsp {

using rpc::error_response;
using rpc::ErrorCode;
using rpc::Json;
using rpc::notification;
using rpc::request;
using rpc::RequestError;
using rpc::response;

/// Both count from 0; the character counts UTF-16 code units.
struct Position {
  unsigned line = 0;
  unsigned character = 0;

  auto operator<=>(const Position&) const = default;
};

/// Throws RequestError or nlohmann::json::exception if `json` is not a Position.
Position position_from(const Json& json);
Json to_json(const Position& position);

/// The offset of a position. A position after the end of a line is the end of the line.
std::size_t offset_at(std::string_view text, const Position& position);
Position position_at(std::string_view text, std::size_t offset);

/// The path of a `file:` URI; empty for other URIs.
std::optional<std::filesystem::path> path_of(std::string_view uri);
std::string uri_of(const std::filesystem::path& path);

/// A range as the editor counts it. The lines are lines of `sources`.
struct EditorRange {
  EditorRange(const model::Range& range, diagnostics::SourceText& sources);

  bool contains(const Position& position) const { return begin <= position && position <= end; }
  Json json() const;

  Position begin;
  Position end;
};

struct Document {
  std::filesystem::path path;       ///< as in the URI; empty if it is not of a file
  std::filesystem::path real_path;  ///< without symbolic links
  std::int64_t version = 0;         ///< set by the client, which starts again when it is opened
  std::uint64_t revision = 0;       ///< differs for each text of all documents
  std::string text;
};

/// The open documents as inputs of an analysis.
struct OpenFiles {
  /// The files whose text is not that on disk; null if there are none.
  std::shared_ptr<const files::UnsavedFiles> unsaved;
  /// The hashes of those whose text is that on disk, by path.
  std::map<std::string, std::uint64_t> saved;
};

/// The open documents by URI.
class Documents {
 public:
  void open(const std::string& uri, std::int64_t version, std::string text);
  void close(const std::string& uri) { documents_.erase(uri); }
  /// Applies `contentChanges` in order: each replaces a range, or the whole text. If one is not
  /// valid, none is applied.
  void change(const std::string& uri, std::int64_t version, const Json& changes);

  /// Null if it is not open.
  const Document* find(const std::string& uri) const;
  /// The URI of an open document, else one of the path.
  std::string uri_for(const std::filesystem::path& path) const;
  const std::map<std::string, Document>& all() const { return documents_; }
  OpenFiles files() const;

 private:
  std::uint64_t last_revision_ = 0;
  std::map<std::string, Document> documents_;
};

/// Lines of unsaved files, and of files on disk.
class EditedSourceText : public diagnostics::SourceText {
 public:
  /// `unsaved` may be null.
  explicit EditedSourceText(std::shared_ptr<const files::UnsavedFiles> unsaved)
      : unsaved_(std::move(unsaved)) {}
  const std::string* line(const std::string& file, unsigned number) override;

 private:
  std::shared_ptr<const files::UnsavedFiles> unsaved_;
  std::map<std::string, bool> is_unsaved_;
  diagnostics::MemorySourceText edited_;
  diagnostics::FileSourceText on_disk_;
};

}  // namespace fairway::lsp
