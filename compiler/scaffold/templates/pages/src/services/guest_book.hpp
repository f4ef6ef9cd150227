// The entries, in memory. Replace it with a database: only this service knows where entries are.
#pragma once

#include <fairway/types.hpp>

#include <mutex>
#include <vector>

struct Entry {
  fw::Field<"string:1-50"> author;
  fw::Field<"string:1-500"> message;
  FW_JSON(Entry, author, message)
};

/// Thread-safe.
class GuestBook {
 public:
  /// The newest entries first, at most 100.
  std::vector<Entry> entries() const;
  void sign(Entry entry);

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};
