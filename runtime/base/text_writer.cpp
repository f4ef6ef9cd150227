#include <fairway/text_writer.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>

namespace fw::detail {
namespace {

/// Enough for most responses and log lines.
constexpr std::size_t kFirstSize = 1024;
/// Memory of larger texts is freed.
constexpr std::size_t kKeptSize = 16 * 1024;

struct Memory {
  char* begin;
  char* end;
};

/// The memory that a thread keeps: for the texts that are written at the same time.
struct Spares {
  std::array<Memory, 4> kept;
  std::size_t count;
  bool is_closed;  ///< at the end of the thread, which some writers outlive

  struct Cleaner {
    ~Cleaner();
  };
};

/// Trivial, so that its use needs no check whether it exists.
constinit thread_local Spares g_spares{};

Spares::Cleaner::~Cleaner() {
  g_spares.is_closed = true;
  while (g_spares.count > 0) std::free(g_spares.kept[--g_spares.count].begin);
}

void clean_at_end() { [[maybe_unused]] thread_local const Spares::Cleaner cleaner; }

}  // namespace

TextWriter::TextWriter() noexcept : begin_(nullptr), at_(nullptr), end_(nullptr) {
  if (g_spares.count == 0) return;
  const Memory& spare = g_spares.kept[--g_spares.count];
  begin_ = at_ = spare.begin;
  end_ = spare.end;
}

TextWriter::~TextWriter() {
  const bool is_kept = begin_ != nullptr && static_cast<std::size_t>(end_ - begin_) <= kKeptSize &&
                       !g_spares.is_closed && g_spares.count < g_spares.kept.size();
  if (!is_kept) {
    std::free(begin_);
    return;
  }
  if (g_spares.count == 0) clean_at_end();
  g_spares.kept[g_spares.count++] = {begin_, end_};
}

void TextWriter::enlarge(std::size_t size) {
  const auto used = static_cast<std::size_t>(at_ - begin_);
  const std::size_t larger = std::max({kFirstSize, 2 * used, used + size});
  auto* const begin = static_cast<char*>(std::realloc(begin_, larger));
  if (begin == nullptr) throw std::bad_alloc();
  begin_ = begin;
  at_ = begin + used;
  end_ = begin + larger;
}

}  // namespace fw::detail
