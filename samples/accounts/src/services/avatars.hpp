// The pictures of the accounts.
#pragma once

#include <fairway/readable.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

/// One file for each account, named by its id: no name comes from a client. Thread-safe.
class Avatars {
 public:
  /// Creates the folder. Throws std::filesystem::filesystem_error.
  explicit Avatars(std::string folder);

  /// The media type of a picture, by its first bytes; nothing for what is not a PNG or JPEG.
  static std::optional<std::string> type_of(std::string_view content);

  /// Replaces the picture. Throws std::system_error.
  void write(std::int64_t account, std::string_view content) const;
  std::optional<fw::Readable> open(std::int64_t account) const;

 private:
  std::string folder_;
};
