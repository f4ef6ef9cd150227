#include "lsp/documents.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/url_encoding.hpp"
#include "base/utf8.hpp"
#include "files/whole_file.hpp"

namespace fairway::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScheme = "file://";
constexpr std::string_view kLineEnds = "\r\n";  // each, and both in this order

bool is_line_end(char c) { return kLineEnds.find(c) != std::string_view::npos; }

std::size_t line_start(std::string_view text, unsigned line) {
  std::size_t begin = 0;
  for (; line > 0; --line) {
    const std::size_t end = text.find_first_of(kLineEnds, begin);
    if (end == std::string_view::npos) return text.size();
    begin = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  return begin;
}

/// A number that LSP calls `uinteger`. Larger numbers, which some clients send for the end of a
/// line, count as the largest one.
unsigned uinteger_from(const Json& json) {
  if (!json.is_number_unsigned()) {
    throw RequestError(ErrorCode::invalid_params,
                       "invalid parameters: " + json.dump() + " is not a line or a character");
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::int32_t>::max();
  return static_cast<unsigned>(std::min(json.get<std::uint64_t>(), kMax));
}

/// The bytes and the UTF-16 code units of the character at the start of a nonempty text.
std::pair<std::size_t, unsigned> first_character(std::string_view text) {
  const std::size_t length = std::max<std::size_t>(fw::base::code_point_length(text), 1);
  return {length, length == 4 ? 2U : 1U};
}

}  // namespace

Position position_from(const Json& json) {
  return {uinteger_from(json.at("line")), uinteger_from(json.at("character"))};
}

Json to_json(const Position& position) {
  return {{"line", position.line}, {"character", position.character}};
}

std::size_t offset_at(std::string_view text, const Position& position) {
  std::size_t offset = line_start(text, position.line);
  for (unsigned column = 0; column < position.character && offset < text.size();) {
    const std::string_view rest = text.substr(offset);
    if (is_line_end(rest.front())) break;
    const auto [length, units] = first_character(rest);
    offset += length;
    column += units;
  }
  return offset;
}

Position position_at(std::string_view text, std::size_t offset) {
  Position position;
  std::size_t begin = 0;
  while (true) {
    const std::size_t next = line_start(text.substr(begin), 1) + begin;
    const bool is_next_line = next > begin && next <= offset && is_line_end(text[next - 1]);
    if (!is_next_line) break;
    begin = next;
    ++position.line;
  }
  std::string_view line = text.substr(begin, offset - begin);
  while (!line.empty()) {
    const auto [length, units] = first_character(line);
    position.character += units;
    line.remove_prefix(length);
  }
  return position;
}

std::optional<fs::path> path_of(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  const std::size_t slash = uri.find('/');  // after the host, which is empty or "localhost"
  if (slash == std::string_view::npos) return std::nullopt;
  const auto path = fw::base::decode_path(uri.substr(slash));
  if (!path) return std::nullopt;
  return fs::path(*path).lexically_normal();
}

std::string uri_of(const fs::path& path) {
  return std::string(kScheme) + fw::base::percent_encode(path.string(), "/-._~");
}

EditorRange::EditorRange(const model::Range& range, diagnostics::SourceText& sources) {
  if (range.line == 0) return;  // the whole file: its start
  const model::Range converted = diagnostics::utf16_range(range, sources);
  begin = {converted.line - 1, converted.column - 1};
  end = {converted.end_line - 1, converted.end_column - 1};
}

Json EditorRange::json() const { return {{"start", to_json(begin)}, {"end", to_json(end)}}; }

void Documents::open(const std::string& uri, std::int64_t version, std::string text) {
  Document document{.path = {},
                    .real_path = {},
                    .version = version,
                    .revision = ++last_revision_,
                    .text = std::move(text)};
  if (const auto path = path_of(uri)) {
    std::error_code error;
    document.path = *path;
    document.real_path = fs::weakly_canonical(*path, error);
  }
  documents_.insert_or_assign(uri, std::move(document));
}

void Documents::change(const std::string& uri, std::int64_t version, const Json& changes) {
  const auto found = documents_.find(uri);
  if (found == documents_.end()) {
    throw RequestError(ErrorCode::invalid_params, "'" + uri + "' is not open");
  }
  std::string text = found->second.text;
  for (const Json& change : changes) {
    const auto& inserted = change.at("text").get_ref<const std::string&>();
    if (!change.contains("range")) {
      text = inserted;
      continue;
    }
    const std::size_t begin = offset_at(text, position_from(change["range"].at("start")));
    const std::size_t end = offset_at(text, position_from(change["range"].at("end")));
    text.replace(begin, std::max(begin, end) - begin, inserted);
  }
  found->second.version = version;
  found->second.revision = ++last_revision_;
  found->second.text = std::move(text);
}

const Document* Documents::find(const std::string& uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

std::string Documents::uri_for(const fs::path& path) const {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  for (const auto& [uri, document] : documents_) {
    if (document.path == path || document.real_path == real) return uri;
  }
  return uri_of(path);
}

OpenFiles Documents::files() const {
  OpenFiles open;
  auto unsaved = std::make_shared<files::UnsavedFiles>();
  for (const auto& [uri, document] : documents_) {
    if (document.path.empty()) continue;
    const bool is_saved = files::read_file(document.path) == document.text;
    for (const fs::path& path : {document.path, document.real_path}) {
      if (is_saved) {
        open.saved.emplace(path, files::content_hash(document.text));
      } else {
        unsaved->emplace(path, document.text);
      }
    }
  }
  if (!unsaved->empty()) open.unsaved = std::move(unsaved);
  return open;
}

const std::string* EditedSourceText::line(const std::string& file, unsigned number) {
  const auto [known, is_new] = is_unsaved_.try_emplace(file, false);
  if (is_new && unsaved_ != nullptr) {
    const auto text = unsaved_->find(fs::absolute(file).lexically_normal().string());
    if (text != unsaved_->end()) {
      edited_.add(file, text->second);
      known->second = true;
    }
  }
  return known->second ? edited_.line(file, number) : on_disk_.line(file, number);
}

}  // namespace fairway::lsp
