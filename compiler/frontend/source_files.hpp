// The file system as Clang sees it.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <string>

#include "files/input.hpp"

namespace fairway::frontend {

inline constexpr llvm::StringLiteral kGeneratedSuffix = ".routes.hpp";

/// The file system without generated request types: they follow from the file that is being
/// resolved, and only handlers' bodies use them. Remembers what is read, and what is looked for in
/// vain. Serves one parse.
class SourceFiles : public llvm::vfs::ProxyFileSystem {
 public:
  /// What lies below `own_directory`, if that is not empty, is no input.
  SourceFiles(const std::string& working_directory, std::string own_directory);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& error) override;

  const files::Inputs& inputs() const { return inputs_; }

 private:
  bool is_own(const llvm::Twine& path) const;
  void remember(const llvm::Twine& path, const files::Input& input);

  std::string own_directory_;
  files::Inputs inputs_;
};

}  // namespace fairway::frontend
