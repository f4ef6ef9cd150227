#include "frontend/source_files.hpp"

#include <llvm/Support/MemoryBuffer.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "files/generated_note.hpp"

namespace fairway::frontend {
namespace {

using files::Input;

files::Identity identity_of(const llvm::vfs::Status& status) {
  const auto modified = status.getLastModificationTime().time_since_epoch();
  return {.size = status.getSize(),
          .modified = std::chrono::duration_cast<std::chrono::nanoseconds>(modified).count(),
          .number = status.getUniqueID().getFile()};
}

/// An open file that records the content that Clang reads.
class ObservedFile : public llvm::vfs::File {
 public:
  using Observer = std::function<void(const Input&)>;

  ObservedFile(std::unique_ptr<File> file, Observer observer)
      : file_(std::move(file)), observer_(std::move(observer)) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name,
                                                               int64_t size, bool terminated,
                                                               bool is_volatile) override {
    const auto status = file_->status();
    auto buffer = file_->getBuffer(name, size, terminated, is_volatile);
    if (status && buffer) {
      observer_({.kind = Input::Kind::read,
                 .identity = files::recorded(identity_of(*status)),
                 .content = files::content_hash((*buffer)->getBuffer())});
    }
    return buffer;
  }

 private:
  std::unique_ptr<File> file_;
  Observer observer_;
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> with_unsaved(const files::UnsavedFiles* unsaved) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk = llvm::vfs::createPhysicalFileSystem();
  if (unsaved == nullptr || unsaved->empty()) return disk;
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto& [path, text] : *unsaved) {
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  }
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(disk));
  overlay->pushOverlay(std::move(memory));
  return overlay;
}

}  // namespace

SourceFiles::SourceFiles(const std::string& working_directory, std::string own_directory,
                         const files::UnsavedFiles* unsaved)
    : ProxyFileSystem(with_unsaved(unsaved)), own_directory_(std::move(own_directory)) {
  if (!working_directory.empty()) setCurrentWorkingDirectory(working_directory);
}

bool SourceFiles::is_generated(const llvm::Twine& path) {
  if (!llvm::StringRef(path.str()).ends_with(kGeneratedSuffix)) return false;
  const auto text = getUnderlyingFS().getBufferForFile(path);
  return !text || (*text)->getBuffer().contains(llvm::StringRef(files::kGeneratedNote));
}

bool SourceFiles::is_own(const llvm::Twine& path) const {
  return !own_directory_.empty() && llvm::StringRef(path.str()).starts_with(own_directory_);
}

void SourceFiles::remember(const llvm::Twine& path, const Input& input) {
  llvm::SmallString<256> absolute;
  path.toVector(absolute);
  if (makeAbsolute(absolute)) return;
  if (is_own(absolute)) return;
  Input& known = inputs_[absolute.str().str()];
  if (input.kind > known.kind) known = input;
}

llvm::ErrorOr<llvm::vfs::Status> SourceFiles::status(const llvm::Twine& path) {
  if (is_generated(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
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
  if (is_generated(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
  auto file = ProxyFileSystem::openFileForRead(path);
  if (!file) remember(path, {});
  if (!file || is_own(path)) return file;
  return std::make_unique<ObservedFile>(
      std::move(*file), [this, name = path.str()](const Input& input) { remember(name, input); });
}

llvm::vfs::directory_iterator SourceFiles::dir_begin(const llvm::Twine& path,
                                                     std::error_code& error) {
  auto entries = ProxyFileSystem::dir_begin(path, error);
  const auto status = ProxyFileSystem::status(path);
  remember(path,
           status
               ? Input{.kind = Input::Kind::listed, .identity = identity_of(*status), .content = 0}
               : Input{});
  return entries;
}

}  // namespace fairway::frontend
