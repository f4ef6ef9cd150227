// The file system for Clang.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <string>

#include "files/generated_note.hpp"
#include "files/input.hpp"

namespace fairway::frontend {

using files::kGeneratedSuffix;

/// An include directory that is only there in the second reading of a file; see ParseJob.
inline constexpr llvm::StringLiteral kGeneratedDirectory = "/fairway-generated/";

/// The file system without the headers of generated types that earlier builds have written: these
/// types depend on the files that are being resolved. A header of the user with such a name is an
/// ordinary file. Records the files that are read and negative lookups, which include generated
/// headers, because the user may write a header of that name later. For one parse.
class SourceFiles : public llvm::vfs::ProxyFileSystem {
 public:
  /// Files below `own_directory`, unless it is empty, do not count as inputs. `unsaved` may be
  /// null. The files of `generated` are below `kGeneratedDirectory`.
  SourceFiles(const std::string& working_directory, std::string own_directory,
              const files::UnsavedFiles* unsaved = nullptr,
              const files::UnsavedFiles* generated = nullptr);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine& path, std::error_code& error) override;

  const files::Inputs& inputs() const { return inputs_; }

 private:
  bool is_generated(const llvm::Twine& path);
  /// The status of a generated header, and remembers that it counts as missing.
  std::error_code hidden(const llvm::Twine& path);
  bool is_own(const llvm::Twine& path) const;
  /// Empty if the working directory is not known.
  std::string absolute(const llvm::Twine& path) const;
  void remember(const llvm::Twine& path, const files::Input& input);

  std::string own_directory_;
  files::Inputs inputs_;
};

}  // namespace fairway::frontend
