// Paths of static files: whatever the path, the file is one of those that are to be served. The
// directory beside it, the hidden file and the link out of it are not.
#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../support/temporary_directory.hpp"
#include "features/static_files/static_file_set.hpp"
#include "fuzz.hpp"

namespace {

struct Site {
  fairway::test::TemporaryDirectory directory;
  fw::detail::StaticFiles files;

  Site() {
    directory.write("outside.txt", "outside");
    directory.write("site/index.html", "served");
    directory.write("site/a/b.txt", "served");
    directory.write("site/.hidden", "hidden");
    directory.write("site/a/.git/config", "hidden");
    std::filesystem::create_symlink(directory.path() / "outside.txt",
                                    directory.path() / "site/link");
    std::vector<std::string> errors;
    files.add({.prefix = "/s", .root = (directory.path() / "site").string()}, errors);
    fuzz::require(errors.empty());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Site site;
  static const fw::compression::CompressionPolicy policy(fw::CompressionConfig{});
  const std::string path = "/s" + std::string(fuzz::text_of(data, size));
  const auto found = site.files.find({.path = path, .accept_encoding = "gzip, br, zstd"}, policy);
  if (!found) return 0;
  if (!found->redirect.empty()) {
    fuzz::require(found->redirect == path + "/" && !found->redirect.starts_with("//"));
    return 0;
  }
  std::array<char, 16> buffer{};
  const std::size_t count = found->file->read(std::span<char>(buffer));
  fuzz::require(std::string_view(buffer.data(), count) == "served");
  return 0;
}
