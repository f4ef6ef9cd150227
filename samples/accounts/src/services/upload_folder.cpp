#include "services/upload_folder.hpp"

#include <fairway/errors.hpp>
#include <fairway/multipart.hpp>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFieldSize = 4096;  // bytes of a text field

/// A name that no client chooses: not the id of the request, which may come from its client.
std::string new_name() {
  std::random_device random;
  return std::to_string(random()) + '-' + std::to_string(random());
}

/// Files that are removed unless all of the form has arrived.
class StoredFiles {
 public:
  StoredFiles() = default;
  StoredFiles(const StoredFiles&) = delete;
  StoredFiles& operator=(const StoredFiles&) = delete;
  ~StoredFiles() {
    for (const fw::ParsedFile& file : files_) {
      std::error_code ignored;
      fs::remove(file.buffer, ignored);
    }
  }

  std::size_t size() const { return files_.size(); }
  fw::ParsedFile& add(fw::ParsedFile file) { return files_.emplace_back(std::move(file)); }
  std::vector<fw::ParsedFile> keep() { return std::exchange(files_, {}); }

 private:
  std::vector<fw::ParsedFile> files_;
};

/// Returns the number of bytes.
std::size_t store(fw::MultipartStream& form, const std::string& path, std::uint64_t most) {
  std::ofstream file(path, std::ios::binary);
  std::array<char, 16 * 1024> buffer;
  std::size_t size = 0;
  while (const std::size_t count = form.read(buffer)) {
    size += count;
    if (size > most) fw::raise(413, "A file is too large");
    file.write(buffer.data(), static_cast<std::streamsize>(count));
  }
  file.close();
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  return size;
}

}  // namespace

UploadFolder::UploadFolder(std::string folder, Limits limits)
    : folder_(std::move(folder)), limits_(limits) {
  fs::create_directories(folder_);
}

void UploadFolder::receive(fw::Request& req, std::int64_t account) const {
  const std::string folder = folder_ + '/' + std::to_string(account);
  fs::create_directories(folder);
  fw::MultipartStream form(req);
  StoredFiles files;
  fw::Json fields = fw::Json::object();
  while (auto part = form.next()) {
    if (!part->filename) {
      fields[part->name] = form.text(kMaxFieldSize);
      continue;
    }
    if (files.size() == limits_.files) fw::raise(413, "There are too many files");
    fw::ParsedFile& file = files.add({.fieldname = std::move(part->name),
                                      .filename = std::move(*part->filename),
                                      .mimetype = std::move(part->media_type),
                                      .buffer = folder + '/' + new_name()});
    file.size = store(form, file.buffer, limits_.file_size);
  }
  req.set_files(files.keep());
  req.set_body(std::move(fields));
}
