#include "features/uploads/multipart_form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/media_type.hpp"
#include "base/url_encoding.hpp"
#include "base/utf8.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kLineBreak = "\r\n";
constexpr std::size_t kMaxHeadBytes = 8 * 1024;  // of one part
constexpr std::size_t kMaxNameLength = 256;      // bytes of a field's name
constexpr std::size_t kMaxFilenameLength = 1024;
constexpr std::size_t kMaxBoundaryLength = 70;    // RFC 2046, 5.1.1
constexpr std::size_t kFilledAtOnce = 16 * 1024;  // bytes that a source is asked for

/// A value with parameters: `form-data; name="a"; filename="b"`.
class Parameters {
 public:
  explicit Parameters(std::string_view field) {
    const auto end = field.find(';');
    value_ = base::trim_ows(field.substr(0, end));
    rest_ = end == std::string_view::npos ? std::string_view() : field.substr(end + 1);
  }

  std::string_view value() const { return value_; }

  struct Parameter {
    std::string_view name;
    std::string value;
  };
  /// The next parameter; empty after the last one. Throws MultipartError.
  std::optional<Parameter> next() {
    rest_ = base::trim_ows(rest_);
    if (rest_.empty()) return std::nullopt;
    const auto equals = rest_.find('=');
    if (equals == std::string_view::npos || !base::is_token(rest_.substr(0, equals))) {
      throw MultipartError("a parameter of a header has no name or no value");
    }
    Parameter parameter{rest_.substr(0, equals), {}};
    rest_.remove_prefix(equals + 1);
    parameter.value = rest_.starts_with('"') ? quoted() : token();
    rest_ = base::trim_ows(rest_);
    if (!rest_.empty() && !rest_.starts_with(';')) {
      throw MultipartError("there is text after the value of a parameter");
    }
    if (!rest_.empty()) rest_.remove_prefix(1);
    return parameter;
  }

 private:
  /// Browsers do not escape backslashes; other clients escape quotes and backslashes with a
  /// backslash.
  std::string quoted() {
    std::string value;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      char c = rest_[i];
      if (c == '"') {
        rest_.remove_prefix(i + 1);
        return value;
      }
      const bool escapes =
          c == '\\' && i + 1 < rest_.size() && (rest_[i + 1] == '"' || rest_[i + 1] == '\\');
      if (escapes) c = rest_[++i];
      value += c;
    }
    throw MultipartError("a quoted string of a header has no end");
  }

  std::string token() {
    const auto end = std::min(rest_.find_first_of("; \t"), rest_.size());
    std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (value.empty()) throw MultipartError("a parameter of a header has no value");
    return value;
  }

  std::string_view value_;
  std::string_view rest_;
};

bool is_boundary_character(char c) {
  constexpr std::string_view kOthers = "'()+_,-./:=? ";
  return base::is_alphanumeric(c) || kOthers.find(c) != std::string_view::npos;
}

void require_text(std::string_view what, std::string_view text, std::size_t longest) {
  if (text.size() > longest) {
    throw MultipartError(fmt::format("{} has more than {} bytes", what, longest));
  }
  if (!base::count_code_points(text).well_formed ||
      std::any_of(text.begin(), text.end(), base::is_control)) {
    throw MultipartError(fmt::format("{} is not plain UTF-8", what));
  }
}

/// Removes the directories of the client's machine, which must not be used as a path here.
std::string without_directories(std::string_view filename) {
  const auto slash = filename.find_last_of("/\\");
  if (slash != std::string_view::npos) filename.remove_prefix(slash + 1);
  if (filename == "." || filename == "..") filename = {};
  return std::string(filename);
}

/// The value of `filename*` (RFC 8187): UTF-8'en'na%C3%AFve.txt
std::string extended_value(std::string_view value) {
  const auto language = value.find('\'');
  const auto text = language == std::string_view::npos ? language : value.find('\'', language + 1);
  if (text == std::string_view::npos ||
      !base::equal_ignoring_case(value.substr(0, language), "utf-8")) {
    throw MultipartError("filename* is not encoded as UTF-8''…");
  }
  auto decoded = base::decode_path(value.substr(text + 1));
  if (!decoded) throw MultipartError("filename* is not encoded as UTF-8''…");
  return std::move(*decoded);
}

void set_once(std::optional<std::string>& target, std::string value, std::string_view name) {
  if (target) throw MultipartError(fmt::format("a part has two values of '{}'", name));
  target = std::move(value);
}

void read_disposition(std::string_view field, MultipartPart& part) {
  Parameters parameters(field);
  if (!base::equal_ignoring_case(parameters.value(), "form-data")) {
    throw MultipartError("the Content-Disposition of a part is not form-data");
  }
  std::optional<std::string> name;
  std::optional<std::string> filename;
  std::optional<std::string> extended;
  while (auto parameter = parameters.next()) {
    if (base::equal_ignoring_case(parameter->name, "name")) {
      set_once(name, std::move(parameter->value), "name");
    } else if (base::equal_ignoring_case(parameter->name, "filename")) {
      set_once(filename, std::move(parameter->value), "filename");
    } else if (base::equal_ignoring_case(parameter->name, "filename*")) {
      set_once(extended, extended_value(parameter->value), "filename*");
    }
  }
  if (!name) throw MultipartError("a part has no name");
  require_text("the name of a part", *name, kMaxNameLength);
  part.name = std::move(*name);
  if (!filename) filename = std::move(extended);
  if (!filename) return;
  require_text("a file name", *filename, kMaxFilenameLength);
  part.filename = without_directories(*filename);
}

}  // namespace

std::optional<std::string> multipart_boundary(std::string_view content_type) {
  Parameters parameters(content_type);
  if (!base::equal_ignoring_case(parameters.value(), "multipart/form-data")) return std::nullopt;
  std::optional<std::string> boundary;
  while (auto parameter = parameters.next()) {
    if (!base::equal_ignoring_case(parameter->name, "boundary")) continue;
    set_once(boundary, std::move(parameter->value), "boundary");
  }
  if (!boundary || boundary->empty()) throw MultipartError("the Content-Type has no boundary");
  if (boundary->size() > kMaxBoundaryLength || boundary->ends_with(' ') ||
      !std::all_of(boundary->begin(), boundary->end(), is_boundary_character)) {
    throw MultipartError("the boundary is not one of 1 to 70 characters that RFC 2046 allows");
  }
  return boundary;
}

MultipartReader::MultipartReader(std::string_view body, std::string_view boundary)
    : delimiter_(fmt::format("\r\n--{}", boundary)), input_(body), is_complete_(true) {}

MultipartReader::MultipartReader(Source source, std::string_view boundary)
    : source_(std::move(source)),
      delimiter_(fmt::format("\r\n--{}", boundary)),
      is_complete_(false) {}

std::optional<MultipartPart> MultipartReader::next() {
  while (!content().empty()) {
  }
  if (current_->closes) return std::nullopt;
  begin_ += current_->end;
  current_.reset();
  has_begun_ = true;
  return read_head();
}

std::string_view MultipartReader::content() {
  if (current_) return {};
  std::size_t from = 0;
  while (true) {
    const auto [begin, line] = find_dashes(from);
    if (begin != std::string_view::npos) {
      bool needs_more = false;
      const auto found = delimiter_at(line, needs_more);
      if (!found && !needs_more) {
        from = begin + kLineBreak.size();  // a line that only begins as a delimiter is content
        continue;
      }
      if (begin > line_break_) return take_content(begin);
      if (found) {
        is_at_start_ = false;
        line_break_ = 0;
        current_ = found;
        return {};
      }
      if (input().size() > kMaxHeadBytes) throw MultipartError("the line of a boundary is endless");
    } else if (is_complete_) {
      throw MultipartError(has_begun_ ? "the last boundary is missing"
                                      : "the boundary does not occur in the body");
    } else if (input().size() >= line_break_ + delimiter_.size()) {
      // The end of the input may be the beginning of a delimiter.
      return take_content(input().size() - delimiter_.size() + 1);
    }
    fill();
    from = 0;
  }
}

/// The content up to there.
std::string_view MultipartReader::take_content(std::size_t end) {
  const std::string_view content = input().substr(line_break_, end - line_break_);
  begin_ += end;
  line_break_ = 0;
  is_at_start_ = false;
  return content;
}

/// Appends to the input. False at its end.
bool MultipartReader::fill() {
  if (is_complete_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kFilledAtOnce);
  const std::size_t count = source_(std::span(buffer_).subspan(size));
  buffer_.resize(size + count);
  input_ = buffer_;
  is_complete_ = count == 0;
  return !is_complete_;
}

/// Where what may be a delimiter begins, and where the rest of its line does.
std::pair<std::size_t, std::size_t> MultipartReader::find_dashes(std::size_t from) const {
  const std::string_view dashes = std::string_view(delimiter_).substr(kLineBreak.size());
  if (is_at_start_ && from == 0 && input().starts_with(dashes)) return {0, dashes.size()};
  const auto begin = input().find(delimiter_, from);
  return {begin, begin == std::string_view::npos ? begin : begin + delimiter_.size()};
}

std::optional<MultipartReader::Delimiter> MultipartReader::delimiter_at(std::size_t line,
                                                                        bool& needs_more) const {
  std::string_view rest = input().substr(line);
  const bool closes = rest.starts_with("--");
  if (closes) rest.remove_prefix(2);
  const bool may_close = rest == "-";
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (closes && rest.empty() && is_complete_) return Delimiter{input().size(), true};
  if (rest.starts_with(kLineBreak)) {
    return Delimiter{input().size() - rest.size() + kLineBreak.size(), closes};
  }
  needs_more = !is_complete_ && (rest.empty() || rest == "\r" || may_close);
  return std::nullopt;
}

/// Takes the head of a part off the input, but for the line break that ends it: a delimiter may
/// begin with that.
MultipartPart MultipartReader::read_head() {
  const auto has_whole_head = [this] {
    return input().starts_with(kLineBreak) || input().find("\r\n\r\n") != std::string_view::npos;
  };
  while (!has_whole_head() && input().size() <= kMaxHeadBytes && fill()) {
  }
  MultipartPart part;
  bool has_disposition = false;
  bool has_type = false;
  std::string_view rest = input();
  const std::size_t size = rest.size();
  while (true) {
    const auto end = rest.substr(0, kMaxHeadBytes).find(kLineBreak);
    if (end == std::string_view::npos || size - rest.size() + end > kMaxHeadBytes) {
      throw MultipartError(
          fmt::format("the head of a part does not end within {} bytes", kMaxHeadBytes));
    }
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + kLineBreak.size());
    if (line.empty()) break;
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !base::is_token(line.substr(0, colon))) {
      throw MultipartError("a line in the head of a part is not a header");
    }
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = base::trim_ows(line.substr(colon + 1));
    if (base::equal_ignoring_case(name, "content-disposition")) {
      if (has_disposition) throw MultipartError("a part has two Content-Disposition headers");
      has_disposition = true;
      read_disposition(value, part);
    } else if (base::equal_ignoring_case(name, "content-type")) {
      if (has_type) throw MultipartError("a part has two Content-Type headers");
      has_type = true;
      part.media_type = base::lower_case(base::media_type(value));
      require_text("the type of a part", part.media_type, kMaxNameLength);
    }
  }
  if (!has_disposition) throw MultipartError("a part has no Content-Disposition");
  line_break_ = kLineBreak.size();
  begin_ += size - rest.size() - line_break_;
  return part;
}

}  // namespace fw::detail
