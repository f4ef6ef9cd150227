// A program that only uses the generated client.
#include <notes_client.hpp>

int main() {
  notes_api::NotesClient client({.base_url = "http://127.0.0.1"});
  return client.getNotes().empty() ? 1 : 0;
}
