#include "services/note_store.hpp"

#include <iterator>

std::vector<Note> NoteStore::list(std::int64_t limit) const {
  const std::lock_guard lock(mutex_);
  std::vector<Note> notes;
  for (auto note = notes_.rbegin(); note != notes_.rend() && std::ssize(notes) < limit; ++note) {
    notes.push_back(note->second);
  }
  return notes;
}

std::optional<Note> NoteStore::find(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = notes_.find(id);
  if (found == notes_.end()) return std::nullopt;
  return found->second;
}

Note NoteStore::create(const NewNote& note) {
  const std::lock_guard lock(mutex_);
  const Note created{note, ++last_id_};
  notes_.emplace(created.id, created);
  return created;
}

bool NoteStore::remove(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  return notes_.erase(id) > 0;
}
