// Notes, in memory. Replace it with a database: only this service knows where notes are.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "models/note.hpp"

/// Thread-safe.
class NoteStore {
 public:
  /// The newest notes first.
  std::vector<Note> list(std::int64_t limit) const;
  std::optional<Note> find(std::int64_t id) const;
  Note create(const NewNote& note);
  /// False if there is no such note.
  bool remove(std::int64_t id);

 private:
  mutable std::mutex mutex_;
  std::map<std::int64_t, Note> notes_;
  std::int64_t last_id_ = 0;
};
