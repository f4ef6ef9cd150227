#include "services/avatars.hpp"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

using namespace std::string_view_literals;

Avatars::Avatars(std::string folder) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
}

std::optional<std::string> Avatars::type_of(std::string_view content) {
  if (content.starts_with("\x89PNG\r\n\x1a\n"sv)) return "image/png";
  if (content.starts_with("\xff\xd8\xff"sv)) return "image/jpeg";
  return std::nullopt;
}

void Avatars::write(std::int64_t account, std::string_view content) const {
  // Readers see the old picture or the new one, never a part of it.
  static std::atomic<unsigned> count = 0;
  const std::string path = folder_ + '/' + std::to_string(account);
  const std::string temporary = path + ".part" + std::to_string(++count);
  std::ofstream file(temporary, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw std::system_error(errno, std::generic_category(), temporary);
  std::filesystem::rename(temporary, path);
}

std::optional<fw::Readable> Avatars::open(std::int64_t account) const {
  return fw::file_below(folder_, std::to_string(account));
}
