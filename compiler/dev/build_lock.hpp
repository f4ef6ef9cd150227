// Builds in one build folder run one after another, whichever process begins them.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_descriptor.hpp"

namespace fairway::dev {

/// A lock of this process and of those that are forked from it without another program: if this
/// process is killed, its GroupGuard has the lock until the build has ended, too.
class BuildLock {
 public:
  /// Creates the folder of the file. Throws UserError.
  explicit BuildLock(std::filesystem::path file);

  /// False if another process has the lock. True if this one has it already.
  bool try_acquire();
  void release();
  /// The number of the process that has the lock, or had it last; empty if it is not known.
  std::string holder() const;

 private:
  void open();

  std::filesystem::path file_;
  fw::base::FileDescriptor descriptor_;
};

}  // namespace fairway::dev
