#include "store/message_numbers.hpp"

#include <charconv>

#include "base/random.hpp"

namespace fw::store {
namespace {

/// "fw1 <id of the process> <number> <message>"
constexpr std::string_view kMark = "fw1 ";
constexpr std::size_t kIdSize = 36;
/// Processes whose numbers are known, for each topic. Processes come and go.
constexpr std::size_t kMaxProcesses = 1'000;
/// Messages that may be sent again are fewer (kMaxBatchMessages of the bus), and a connection that
/// was interrupted for long misses fewer. Other numbers begin a new count: one that is
/// invented must neither hide all later messages nor count as a loss.
constexpr std::uint64_t kMaxRepeated = 1'000;
constexpr std::uint64_t kMaxMissing = 100'000'000;
/// Larger ones cannot be real.
constexpr std::uint64_t kMaxNumber = std::uint64_t{1} << 53;

}  // namespace

MessageNumbers::MessageNumbers() : id_(base::make_uuid()) {}

std::string MessageNumbers::stamp(std::string_view topic, std::string_view message) {
  auto found = sent_.find(topic);
  if (found == sent_.end()) found = sent_.emplace(std::string(topic), 0).first;
  std::string stamped;
  stamped.reserve(kMark.size() + kIdSize + 24 + message.size());
  stamped.append(kMark).append(id_) += ' ';
  stamped.append(std::to_string(++found->second)) += ' ';
  return stamped.append(message);
}

std::optional<MessageNumbers::Reading> MessageNumbers::read(std::string_view topic,
                                                            std::string_view stamped) {
  if (!stamped.starts_with(kMark)) return Reading{.message = stamped};
  stamped.remove_prefix(kMark.size());
  if (stamped.size() <= kIdSize || stamped[kIdSize] != ' ') return std::nullopt;
  const std::string_view id = stamped.substr(0, kIdSize);
  stamped.remove_prefix(kIdSize + 1);
  std::uint64_t number = 0;
  const char* const end = stamped.data() + stamped.size();
  const auto [after, error] = std::from_chars(stamped.data(), end, number);
  if (error != std::errc() || after == end || *after != ' ' || number == 0 || number > kMaxNumber) {
    return std::nullopt;
  }
  Reading reading{.message = stamped.substr(static_cast<std::size_t>(after + 1 - stamped.data()))};
  if (id == id_) {
    reading.kind = Reading::Kind::own;
    return reading;
  }
  auto of_topic = received_.find(topic);
  if (of_topic == received_.end()) of_topic = received_.emplace(std::string(topic), Last()).first;
  Last& last = of_topic->second;
  const auto known = last.find(id);
  if (known == last.end()) {
    if (last.size() == kMaxProcesses) last.clear();
    last.emplace(std::string(id), number);
  } else if (number <= known->second && known->second - number < kMaxRepeated) {
    reading.kind = Reading::Kind::repeated;
  } else {
    const std::uint64_t missing = number > known->second ? number - known->second - 1 : 0;
    if (missing <= kMaxMissing) reading.missing = missing;
    known->second = number;
  }
  return reading;
}

void MessageNumbers::forget(std::string_view topic) {
  if (const auto found = received_.find(topic); found != received_.end()) received_.erase(found);
}

}  // namespace fw::store
