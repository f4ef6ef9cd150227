// Forms with large files, stored while they arrive.
#pragma once

#include <fairway/request.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

/// Thread-safe. The plugin upload-to-disk adds it to the services.
class UploadFolder {
 public:
  struct Limits {
    std::size_t files = 10;
    std::uint64_t file_size = 100 * 1024 * 1024;  ///< bytes
  };

  /// Creates the folder. Throws std::filesystem::filesystem_error.
  UploadFolder(std::string folder, Limits limits);

  /// Stores the files of a form below the folder of an account, and fills `req.files()`, whose
  /// `buffer` is the path of each file, and `req.body()` with the text fields. For a route with
  /// `.body_parser = {.stream = true}`. Nothing is stored if it throws: fw::HttpError (400, 408,
  /// 413, 415) or std::system_error.
  void receive(fw::Request& req, std::int64_t account) const;

 private:
  std::string folder_;
  Limits limits_;
};
