#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/ascii.hpp"
#include "emit/openapi.hpp"

namespace fairway::emit {
namespace {

using fw::base::is_alphanumeric;
using fw::base::is_letter;
using model::Json;

// Words that some parsers read as a boolean or null.
constexpr auto kWords =
    std::to_array<std::string_view>({"true", "false", "yes", "no", "on", "off", "y", "n", "null"});

bool is_plain_text(std::string_view text) {
  constexpr std::string_view kMayBegin = "/_$";
  constexpr std::string_view kMayFollow = " /_$-.,;(){}+*=";
  if (text.empty() || text.back() == ' ') return false;
  if (!is_letter(text.front()) && kMayBegin.find(text.front()) == std::string_view::npos) {
    return false;
  }
  const bool is_word = std::ranges::any_of(
      kWords, [&](std::string_view word) { return fw::base::equal_ignoring_case(text, word); });
  return !is_word && std::ranges::all_of(text, [&](char c) {
    return is_alphanumeric(c) || kMayFollow.find(c) != std::string_view::npos;
  });
}

// Whether a string can be written as a literal block (`|`).
bool is_block_text(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.ends_with("\n\n")) return false;
  if (text.front() == ' ' || text.front() == '\n') return false;
  if (text.find(" \n") != std::string_view::npos) return false;
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\n' || (byte >= 0x20 && byte < 0x7f);
  });
}

std::string number_text(const Json& number) {
  std::string text = number.dump();
  // In YAML 1.1, a number with an exponent must have a fraction.
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

// Escapes characters that are valid in JSON strings, but line ends or not printable in YAML: DEL,
// the C1 controls, U+2028, U+2029 and the byte order mark.
std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const auto follows = [&](std::size_t ahead) { return static_cast<unsigned char>(rest[ahead]); };
    if (rest[0] == '\x7f') {
      result += "\\u007f";
    } else if (rest.starts_with("\xc2") && rest.size() > 1 && follows(1) < 0xa0) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      result += "\\u00";
      result += kDigits[follows(1) >> 4];
      result += kDigits[follows(1) & 0xf];
      i += 1;
    } else if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      result += follows(2) == 0xa8 ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (rest.starts_with("\xef\xbb\xbf")) {
      result += "\\ufeff";
      i += 2;
    } else {
      result += rest[0];
    }
  }
  return result;
}

// JSON strings are valid double-quoted scalars of YAML.
std::string quoted(const std::string& text) {
  return escaped(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

class Writer {
 public:
  // Writes the value after `key:` or `-`, in the same line or as a block.
  void value(const Json& json, std::size_t indent, bool in_list) {
    if (json.is_object() && !json.empty()) return object(json, indent, in_list);
    if (json.is_array() && !json.empty()) return array(json, indent);
    text_ += ' ';
    if (json.is_string()) {
      string(json.get_ref<const std::string&>(), indent);
    } else {
      text_ += json.is_number() ? number_text(json) : json.dump();
      text_ += '\n';
    }
  }

  std::string take() { return std::move(text_); }

 private:
  // The first member of an object in a list is in the line of the dash.
  void object(const Json& json, std::size_t indent, bool in_list) {
    bool beside = in_list;
    text_ += in_list ? " " : "\n";
    for (const auto& [key, member] : json.items()) {
      if (!beside) text_.append(indent, ' ');
      beside = false;
      text_ += is_plain_text(key) ? key : quoted(key);
      text_ += ':';
      value(member, indent + 2, false);
    }
  }

  void array(const Json& json, std::size_t indent) {
    text_ += '\n';
    for (const Json& item : json) {
      text_.append(indent, ' ');
      text_ += '-';
      value(item, indent + 2, true);
    }
  }

  void string(const std::string& text, std::size_t indent) {
    if (!is_block_text(text)) {
      text_ += is_plain_text(text) ? text : quoted(text);
      text_ += '\n';
      return;
    }
    text_ += text.ends_with('\n') ? "|\n" : "|-\n";
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      if (end > start) text_.append(indent, ' ').append(text, start, end - start);
      text_ += '\n';
      start = end + 1;
    }
  }

  std::string text_;
};

}  // namespace

std::string to_yaml(const Json& value) {
  Writer writer;
  writer.value(value, 0, false);
  std::string text = writer.take();
  text.erase(0, 1);  // the separator before a value
  return text;
}

DocumentFormat format_of(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".yaml" || ending == ".yml" ? DocumentFormat::yaml : DocumentFormat::json;
}

std::string document_text(const Json& document, DocumentFormat format) {
  return format == DocumentFormat::yaml ? to_yaml(document) : openapi_text(document);
}

}  // namespace fairway::emit
