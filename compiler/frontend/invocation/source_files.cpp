#include "frontend/invocation/source_files.hpp"

#include <llvm/Support/MemoryBuffer.h>

#include <utility>

namespace fairway::frontend {
namespace {

using files::Input;

/// An open file that records the content that Clang reads.
class ObservedFile : public llvm::vfs::File {
 public:
  using Observer = std::function<void(const Input&)>;

  ObservedFile(std::unique_ptr<File> file, std::string path, Observer observer)
      : file_(std::move(file)), path_(std::move(path)), observer_(std::move(observer)) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name,
                                                               int64_t size, bool terminated,
                                                               bool is_volatile) override {
    const files::Identity before = files::look_at(path_).identity;
    auto buffer = file_->getBuffer(name, size, terminated, is_volatile);
    if (buffer) {
      observer_({.kind = Input::Kind::read,
                 .identity = files::recorded(before),
                 .content = files::content_hash((*buffer)->getBuffer())});
    }
    return buffer;
  }

 private:
  std::unique_ptr<File> file_;
  std::string path_;  ///< absolute
  Observer observer_;
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> with_memory(const files::UnsavedFiles* unsaved,
                                                            const files::UnsavedFiles* generated) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk = llvm::vfs::createPhysicalFileSystem();
  if (unsaved == nullptr && generated == nullptr) return disk;
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto add = [&](const files::UnsavedFiles* files, llvm::StringRef directory) {
    if (files == nullptr) return;
    for (const auto& [path, text] : *files) {
      memory->addFile(directory + path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
    }
  };
  add(unsaved, "");
  add(generated, kGeneratedDirectory);
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(disk));
  overlay->pushOverlay(std::move(memory));
  return overlay;
}

}  // namespace

SourceFiles::SourceFiles(const std::string& working_directory, std::string own_directory,
                         const files::UnsavedFiles* unsaved, const files::UnsavedFiles* generated)
    : ProxyFileSystem(with_memory(unsaved, generated)), own_directory_(std::move(own_directory)) {
  if (!working_directory.empty()) setCurrentWorkingDirectory(working_directory);
}

bool SourceFiles::is_generated(const llvm::Twine& path) {
  const std::string name = path.str();
  if (!llvm::StringRef(name).ends_with(kGeneratedSuffix)) return false;
  if (llvm::StringRef(name).starts_with(kGeneratedDirectory)) return false;
  const auto text = getUnderlyingFS().getBufferForFile(path);
  return text && (*text)->getBuffer().contains(files::kGeneratedNote);
}

std::error_code SourceFiles::hidden(const llvm::Twine& path) {
  remember(path, {});
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

bool SourceFiles::is_own(const llvm::Twine& path) const {
  const std::string name = path.str();
  const llvm::StringRef text = name;
  return text.starts_with(kGeneratedDirectory) ||
         (!own_directory_.empty() && text.starts_with(own_directory_));
}

std::string SourceFiles::absolute(const llvm::Twine& path) const {
  llvm::SmallString<256> text;
  path.toVector(text);
  return makeAbsolute(text) ? std::string() : text.str().str();
}

void SourceFiles::remember(const llvm::Twine& path, const Input& input) {
  const std::string name = absolute(path);
  if (name.empty() || is_own(name)) return;
  Input& known = inputs_[name];
  if (input.kind > known.kind) known = input;
}

llvm::ErrorOr<llvm::vfs::Status> SourceFiles::status(const llvm::Twine& path) {
  if (is_generated(path)) return hidden(path);
  auto status = ProxyFileSystem::status(path);
  if (!status) {
    remember(path, {});
  } else if (status->isRegularFile()) {
    remember(path, {.kind = Input::Kind::present, .identity = {}, .content = 0});
  }
  return status;
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> SourceFiles::openFileForRead(
    const llvm::Twine& path) {
  if (is_generated(path)) return hidden(path);
  auto file = ProxyFileSystem::openFileForRead(path);
  if (!file) remember(path, {});
  if (!file || is_own(path)) return file;
  return std::make_unique<ObservedFile>(
      std::move(*file), absolute(path),
      [this, name = path.str()](const Input& input) { remember(name, input); });
}

llvm::vfs::directory_iterator SourceFiles::dir_begin(const llvm::Twine& path,
                                                     std::error_code& error) {
  const Input before = files::look_at(absolute(path));
  auto entries = ProxyFileSystem::dir_begin(path, error);
  remember(path, before.kind == Input::Kind::listed ? before : Input{});
  return entries;
}

}  // namespace fairway::frontend
