// The numbers of the messages of a bus, by which a process detects its own messages, messages that
// arrive twice, and those that are missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fw::store {

/// The numbers that one process sends and receives. Not thread-safe.
class MessageNumbers {
 public:
  MessageNumbers();

  /// The message with the id of this process and the next number of the topic.
  std::string stamp(std::string_view topic, std::string_view message);

  struct Reading {
    enum class Kind : std::uint8_t { fresh, own, repeated };
    Kind kind = Kind::fresh;
    std::string_view message = {};
    std::uint64_t missing = 0;  ///< messages of the same process before it that have not arrived
  };
  /// Takes a stamped message apart. A message without a stamp is of another program: it is fresh.
  /// Nothing if the stamp is malformed.
  std::optional<Reading> read(std::string_view topic, std::string_view stamped);
  /// Later messages of the topic are not compared with those that have arrived so far.
  void forget(std::string_view topic);

 private:
  /// The last number of each process.
  using Last = std::map<std::string, std::uint64_t, std::less<>>;

  const std::string id_;
  std::map<std::string, std::uint64_t, std::less<>> sent_;  ///< by topic
  std::map<std::string, Last, std::less<>> received_;       ///< by topic
};

}  // namespace fw::store
