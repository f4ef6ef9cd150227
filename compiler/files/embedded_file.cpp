#include "files/embedded_file.hpp"

namespace fairway::files {

std::string replace_placeholders(std::string_view text,
                                 const std::map<std::string, std::string>& values) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find('@');
    const std::size_t end = begin == text.npos ? begin : text.find('@', begin + 1);
    if (end == text.npos) return result.append(text);
    const auto value = values.find(std::string(text.substr(begin + 1, end - begin - 1)));
    if (value == values.end()) {
      result.append(text.substr(0, end));
      text.remove_prefix(end);
    } else {
      result.append(text.substr(0, begin)).append(value->second);
      text.remove_prefix(end + 1);
    }
  }
}

}  // namespace fairway::files
