#include "rules/nolint.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "resolve/comments.hpp"

namespace fairway::rules {
namespace {

using fw::base::trim_whitespace;

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kMark = "NOLINT";
constexpr std::string_view kNextLine = "NEXTLINE";

bool is_word_part(char c) { return fw::base::is_alphanumeric(c) || c == '_'; }

/// The content of a comment, if the whole comment is in this line; otherwise empty.
std::string_view content_of(std::string_view comment) {
  if (comment.starts_with("//")) return trim_whitespace(comment.substr(2));
  const bool is_whole = comment.size() >= 4 && comment.starts_with("/*") && comment.ends_with("*/");
  return is_whole ? trim_whitespace(comment.substr(2, comment.size() - 4)) : std::string_view();
}

class CommentReader {
 public:
  CommentReader(std::string_view source, const std::string& file) : file_(file) {
    for (std::size_t begin = 0; begin <= source.size();) {
      const std::size_t end = std::min(source.find('\n', begin), source.size());
      lines_.push_back(source.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  std::vector<Nolint> read(const std::vector<resolve::CommentLine>& comments) {
    for (const resolve::CommentLine& comment : comments) {
      std::size_t from = 0;
      while ((from = comment.text.find(kMark, from)) != kNone) from = read_one(comment, from);
    }
    return std::move(found_);
  }

 private:
  /// Returns the position after it.
  std::size_t read_one(const resolve::CommentLine& comment, std::size_t begin) {
    const std::string_view text = comment.text;
    std::size_t end = begin + kMark.size();
    const bool is_next_line = text.substr(end).starts_with(kNextLine);
    if (is_next_line) end += kNextLine.size();
    // "NOLINTBEGIN" and "XNOLINT" are not suppressions.
    if (begin > 0 && is_word_part(text[begin - 1])) return end;
    if (end < text.size() && is_word_part(text[end])) return end;
    Nolint nolint;
    nolint.target_line = comment.line + (is_next_line ? 1 : 0);
    const std::size_t close = text.find(')', end);
    if (end < text.size() && text[end] == '(' && close != kNone) {
      read_names(comment, end + 1, close, nolint);
      end = close + 1;
      if (nolint.names.size() == 1) {
        nolint.names[0].removal = removal_of(comment, text.substr(begin, end - begin));
      }
    } else {
      nolint.suppresses_all = true;
    }
    found_.push_back(std::move(nolint));
    return end;
  }

  void read_names(const resolve::CommentLine& comment, std::size_t begin, std::size_t close,
                  Nolint& nolint) const {
    while (begin < close) {
      const std::size_t end = std::min(comment.text.find(',', begin), close);
      const std::string_view item = comment.text.substr(begin, end - begin);
      const std::string_view id = trim_whitespace(item);
      if (id == "*") nolint.suppresses_all = true;
      if (!id.empty()) {
        const auto offset = static_cast<std::size_t>(id.data() - comment.text.data());
        // Includes the comma before it; the first one includes the comma and the spaces after it.
        const bool is_first = nolint.names.empty();
        std::size_t next = std::min(end + 1, close);
        while (next < close && comment.text[next] == ' ') ++next;
        nolint.names.push_back(
            {std::string(id), range(comment, offset, offset + id.size()),
             is_first ? range(comment, begin, next) : range(comment, begin - 1, end)});
      }
      begin = end + 1;
    }
  }

  /// If the comment contains nothing else, the whole comment with the spaces before it, or the
  /// whole line.
  model::Range removal_of(const resolve::CommentLine& comment, std::string_view nolint) const {
    if (content_of(comment.text) != nolint) return {};
    const std::string_view line = lines_[comment.line - 1];
    const std::string_view before = line.substr(0, comment.column - 1);
    const std::size_t end = comment.column - 1 + comment.text.size();
    const bool is_last = trim_whitespace(line.substr(end)).empty();
    if (is_last && trim_whitespace(before).empty() && comment.line < lines_.size()) {
      return {file_, comment.line, 1, comment.line + 1, 1};
    }
    const std::size_t begin = is_last ? before.find_last_not_of(" \t") + 1 : before.size();
    return {file_, comment.line, static_cast<unsigned>(begin) + 1, comment.line,
            static_cast<unsigned>(end) + 1};
  }

  model::Range range(const resolve::CommentLine& comment, std::size_t begin,
                     std::size_t end) const {
    return {file_, comment.line, comment.column + static_cast<unsigned>(begin), comment.line,
            comment.column + static_cast<unsigned>(end)};
  }

  const std::string& file_;
  std::vector<std::string_view> lines_;
  std::vector<Nolint> found_;
};

}  // namespace

std::vector<Nolint> find_nolints(std::string_view source, const std::string& file) {
  if (source.find(kMark) == kNone) return {};
  return CommentReader(source, file).read(resolve::find_comments(source));
}

}  // namespace fairway::rules
