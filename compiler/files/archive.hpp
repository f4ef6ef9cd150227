// Serializes plain data to bytes and back, with one list of members for both directions:
//
//   FAIRWAY_ARCHIVE(Point, x, y)  // does not compile if a member is missing here
//
//   files::ArchiveWriter writer;   writer(point);   writer.bytes();
//   files::ArchiveReader reader(bytes);   reader(point);   reader.finish();
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fairway::files {

/// `T`, or `const T` when writing.
template <class U, class T>
concept Like = std::same_as<std::remove_const_t<U>, T>;

/// Bytes that are not the complete output of an ArchiveWriter.
class BadArchive : public std::runtime_error {
 public:
  BadArchive() : std::runtime_error("the stored data is damaged") {}
};

class ArchiveWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  /// A string that occurs often: written once, then by its index.
  void repeated(const std::string& text);
  const std::string& bytes() const { return bytes_; }

 private:
  void write(bool value) { number(value ? 1 : 0); }
  void write(const std::string& text);
  void write(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  template <class T>
  void write(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      number(static_cast<std::uint64_t>(value));
    } else {
      archive_members(*this, value);
    }
  }
  template <class T>
  void write(const std::vector<T>& list) {
    number(list.size());
    for (const T& item : list) write(item);
  }
  template <class T>
  void write(const std::map<std::string, T, std::less<>>& entries) {
    number(entries.size());
    for (const auto& [key, value] : entries) (*this)(key, value);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  void number(std::uint64_t value);

  std::string bytes_;
  std::map<std::string, std::uint64_t, std::less<>> repeated_;
};

/// Reads the output of an ArchiveWriter. All functions throw BadArchive.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  void repeated(std::string& text);
  std::size_t left() const { return rest_.size(); }
  /// Checks that all bytes have been read.
  void finish() const {
    if (!rest_.empty()) throw BadArchive();
  }

 private:
  void read(bool& value) { value = number() != 0; }
  void read(std::string& text);
  void read(double& value) { value = std::bit_cast<double>(number()); }
  template <class T>
  void read(T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      value = static_cast<T>(number());
    } else {
      archive_members(*this, value);
    }
  }
  template <class T>
  void read(std::vector<T>& list) {
    list.resize(size());
    for (T& item : list) read(item);
  }
  template <class T>
  void read(std::map<std::string, T, std::less<>>& entries) {
    for (std::size_t count = size(); count > 0; --count) {
      std::string key;
      read(key);
      read(entries[std::move(key)]);
    }
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool present = false;
    read(present);
    if (present) read(value.emplace());
  }
  std::uint64_t number();
  /// The size of a list or string, which must not exceed the number of remaining bytes.
  std::size_t size();

  std::string_view rest_;
  std::vector<std::string> repeated_;
};

}  // namespace fairway::files

// Lists the members of a struct, in the namespace of the struct.
#define FAIRWAY_ARCHIVE(Struct, ...)                         \
  template <class Archive, ::fairway::files::Like<Struct> T> \
  void archive_members(Archive& archive, T& object) {        \
    auto& [__VA_ARGS__] = object;                            \
    archive(__VA_ARGS__);                                    \
  }
