// Notes, in memory. Replace it with a database: only this service knows where notes are.
#pragma once

#include <fairway/json.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

struct Note {
  std::int64_t id = 0;
  std::string title;
  std::string text;
};
void to_json(fw::Json& json, const Note& note);

/// Thread-safe.
class NoteStore {
 public:
  /// The newest notes first.
  std::vector<Note> list(std::size_t limit) const;
  std::optional<Note> find(std::int64_t id) const;
  Note create(std::string title, std::string text);
  /// False if there is no such note.
  bool remove(std::int64_t id);

 private:
  mutable std::mutex mutex_;
  std::map<std::int64_t, Note> notes_;
  std::int64_t last_id_ = 0;
};
