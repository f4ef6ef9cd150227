// Multipart forms: a Content-Type up to the first line feed, and a body. Parts are pieces of the
// body in its order, and names of files are no paths.
#include <algorithm>
#include <span>
#include <string>

#include "base/utf8.hpp"
#include "features/uploads/multipart_form.hpp"
#include "fuzz.hpp"

namespace {

bool is_utf8(std::string_view text) { return fw::base::count_code_points(text).well_formed; }

void read_parts(std::string_view body, std::string_view boundary) {
  fw::detail::MultipartReader reader(body, boundary);
  std::size_t read = 0;
  while (const auto part = reader.next()) {
    fuzz::require(is_utf8(part->name));
    if (part->filename) {
      fuzz::require(is_utf8(*part->filename));
      fuzz::require(part->filename->find_first_of("/\\") == std::string::npos);
      fuzz::require(*part->filename != "..");
    }
    const std::string_view content = reader.content();
    if (content.empty()) continue;
    const auto begin = static_cast<std::size_t>(content.data() - body.data());
    fuzz::require(begin > read && begin + content.size() <= body.size());
    fuzz::require(content.find("\r\n--" + std::string(boundary) + "\r\n") ==
                  std::string_view::npos);
    read = begin + content.size();
  }
}

/// The parts, or the error, of a body that arrives in pieces of `size` bytes.
std::string text_of_parts(std::string_view body, std::string_view boundary, std::size_t size) {
  const auto source = [body, size](std::span<char> buffer) mutable {
    const std::size_t count = body.copy(buffer.data(), std::min(size, buffer.size()));
    body.remove_prefix(count);
    return count;
  };
  std::string text;
  try {
    fw::detail::MultipartReader reader(source, boundary);
    while (const auto part = reader.next()) {
      text += part->name + '|' + part->filename.value_or("-") + '|' + part->media_type + '|';
      for (auto bytes = reader.content(); !bytes.empty(); bytes = reader.content()) text += bytes;
    }
  } catch (const fw::detail::MultipartError& error) {
    text += error.what();
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto line_end = text.find('\n');
  if (line_end == std::string_view::npos) return 0;
  try {
    const auto boundary = fw::detail::multipart_boundary(text.substr(0, line_end));
    if (!boundary) return 0;
    const std::string_view body = text.substr(line_end + 1);
    fuzz::require(text_of_parts(body, *boundary, 1) == text_of_parts(body, *boundary, 1'000'000));
    read_parts(body, *boundary);
  } catch (const fw::detail::MultipartError&) {
    return 0;
  }
  return 0;
}
