#include "wire_case.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace wire {
namespace {

std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    if (++i == text.size()) throw std::runtime_error("a backslash escapes nothing");
    switch (text[i]) {
      case 'r':
        bytes += '\r';
        break;
      case 'n':
        bytes += '\n';
        break;
      case 't':
        bytes += '\t';
        break;
      case '\\':
        bytes += '\\';
        break;
      case 'x':
        bytes += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
        i += 2;
        break;
      case '*': {
        const auto open = text.find('[', i);
        const auto close = text.find(']', i);
        if (close == std::string_view::npos || open > close) {
          throw std::runtime_error("a repetition has no [TEXT]");
        }
        const auto count = std::stoul(std::string(text.substr(i + 1, open - i - 1)));
        const auto part = unescaped(text.substr(open + 1, close - open - 1));
        for (std::size_t n = 0; n < count; ++n) bytes += part;
        i = close;
        break;
      }
      default:
        throw std::runtime_error("an escape is not known");
    }
  }
  return bytes;
}

ExpectedResponse parse_response(std::string_view text) {
  ExpectedResponse response;
  response.status = std::stoi(std::string(text.substr(0, 3)));
  text.remove_prefix(std::min<std::size_t>(4, text.size()));
  if (const auto quote = text.find(" \""); quote != std::string_view::npos) {
    if (text.back() != '"' || text.size() < quote + 3) {
      throw std::runtime_error("a body has no quotes around it");
    }
    response.body = unescaped(text.substr(quote + 2, text.size() - quote - 3));
    text = text.substr(0, quote);
  }
  response.text = unescaped(text);
  return response;
}

std::pair<std::string, std::string> parse_field(std::string_view text) {
  const auto colon = text.find(": ");
  if (colon == std::string_view::npos) throw std::runtime_error("a field is `NAME: VALUE`");
  return {std::string(text.substr(0, colon)), unescaped(text.substr(colon + 2))};
}

Ending parse_ending(std::string_view text) {
  for (const auto ending : {Ending::open, Ending::closed, Ending::waits, Ending::ends}) {
    if (text == name_of(ending)) return ending;
  }
  throw std::runtime_error("the connection is `open`, `closed`, `waits` or `ends`");
}

class Reader {
 public:
  CaseSet set;

  void take(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    if (take_prefix(line, "set ")) {
      set.title = line;
    } else if (take_prefix(line, "about ")) {
      set.introduction += std::string(line) + "\n";
    } else if (take_prefix(line, "case ")) {
      end_case();
      set.cases.emplace_back().name = line;
      has_ended_ = false;
    } else if (set.cases.empty() || has_ended_) {
      throw std::runtime_error("a case begins with `case NAME`");
    } else {
      take_of_case(line, set.cases.back());
    }
  }

  void end_case() const {
    if (!has_ended_) throw std::runtime_error("a case ends with `= open` or the like");
  }

 private:
  static bool take_prefix(std::string_view& line, std::string_view prefix) {
    if (line.substr(0, prefix.size()) != prefix) return false;
    line.remove_prefix(prefix.size());
    return true;
  }

  void take_of_case(std::string_view line, Case& current) {
    if (take_prefix(line, "note ")) {
      current.note += (current.note.empty() ? "" : " ") + std::string(line);
    } else if (take_prefix(line, "> ")) {
      if (current.pieces.empty()) current.pieces.emplace_back();
      current.pieces.back() += unescaped(line);
    } else if (line == "...") {
      current.pieces.emplace_back();
    } else if (take_prefix(line, "< ")) {
      current.responses.push_back(parse_response(line));
    } else if (take_prefix(line, "= ")) {
      current.ending = parse_ending(line);
      has_ended_ = true;
    } else if (!current.responses.empty() && take_prefix(line, "saw ")) {
      current.responses.back().saw.push_back(parse_field(line));
    } else if (!current.responses.empty() && take_prefix(line, "sent ")) {
      current.responses.back().sent.push_back(parse_field(line));
    } else {
      throw std::runtime_error("a line begins with none of the known signs");
    }
  }

  bool has_ended_ = true;
};

}  // namespace

std::string Case::bytes() const {
  std::string all;
  for (const auto& piece : pieces) all += piece;
  return all;
}

CaseSet read_cases(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file.string() + ": cannot be opened");
  Reader reader;
  std::string line;
  int number = 0;
  try {
    while (std::getline(stream, line)) {
      ++number;
      reader.take(line);
    }
    reader.end_case();
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " + error.what());
  }
  return std::move(reader.set);
}

std::string escaped(const std::string& bytes, std::size_t limit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    if (text.size() >= limit) return text + "…";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\r') {
      text += "\\r";
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '\\') {
      text += "\\\\";
    } else if (byte < 0x20 || byte >= 0x7F) {
      text += std::string("\\x") + kHex[byte / 16] + kHex[byte % 16];
    } else {
      text += c;
    }
  }
  return text;
}

const char* name_of(Ending ending) {
  switch (ending) {
    case Ending::open:
      return "open";
    case Ending::closed:
      return "closed";
    case Ending::waits:
      return "waits";
    case Ending::ends:
      return "ends";
  }
  return "?";
}

}  // namespace wire
