#include <fairway/text_writer.hpp>

#include <algorithm>
#include <memory>

#include "base/thread_local_free_list.hpp"

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

void free_memory(Memory memory) { delete[] memory.begin; }

/// For the texts that are written at the same time.
constinit thread_local base::ThreadLocalFreeList<Memory, 4, free_memory> g_spares{};

}  // namespace

TextWriter::TextWriter() noexcept : begin_(nullptr), at_(nullptr), end_(nullptr) {
  if (g_spares.empty()) return;
  const Memory spare = g_spares.take();
  begin_ = at_ = spare.begin;
  end_ = spare.end;
}

TextWriter::~TextWriter() {
  if (begin_ == nullptr) return;
  const bool is_small = static_cast<std::size_t>(end_ - begin_) <= kKeptSize;
  if (!is_small || !g_spares.keep({begin_, end_})) delete[] begin_;
}

void TextWriter::enlarge(std::size_t size) {
  const auto used = static_cast<std::size_t>(at_ - begin_);
  const std::size_t larger = std::max({kFirstSize, 2 * used, used + size});
  auto memory = std::make_unique_for_overwrite<char[]>(larger);
  if (used > 0) std::memcpy(memory.get(), begin_, used);
  delete[] begin_;
  begin_ = memory.release();
  at_ = begin_ + used;
  end_ = begin_ + larger;
}

}  // namespace fw::detail
