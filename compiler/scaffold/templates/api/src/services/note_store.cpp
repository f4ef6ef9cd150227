#include "services/note_store.hpp"

#include <utility>

void to_json(fw::Json& json, const Note& note) {
  json = {{"id", note.id}, {"title", note.title}, {"text", note.text}};
}

std::vector<Note> NoteStore::list(std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  std::vector<Note> notes;
  for (auto entry = notes_.rbegin(); entry != notes_.rend() && notes.size() < limit; ++entry) {
    notes.push_back(entry->second);
  }
  return notes;
}

std::optional<Note> NoteStore::find(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = notes_.find(id);
  if (found == notes_.end()) return std::nullopt;
  return found->second;
}

Note NoteStore::create(std::string title, std::string text) {
  const std::lock_guard lock(mutex_);
  Note note{.id = ++last_id_, .title = std::move(title), .text = std::move(text)};
  notes_.emplace(note.id, note);
  return note;
}

bool NoteStore::remove(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  return notes_.erase(id) > 0;
}
