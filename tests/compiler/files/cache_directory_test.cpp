// What is kept between runs, and for how long.
#include "files/cache_directory.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "temporary_directory.hpp"

namespace cache_directory_test {

namespace fs = std::filesystem;
using fairway::files::CacheDirectory;
using fairway::test::TemporaryDirectory;
using namespace std::chrono_literals;

namespace {

void make_older(const fs::path& file, std::chrono::hours by) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - by);
}

}  // namespace

TEST_CASE("cache directory: an entry is stored, loaded and replaced") {
  const TemporaryDirectory directory;
  const CacheDirectory cache(directory.path() / "a/b");
  CHECK_FALSE(cache.load("x").has_value());
  cache.store("x", std::string("one\0two", 7));
  CHECK(cache.load("x") == std::string("one\0two", 7));
  cache.store("x", "");
  CHECK(cache.load("x") == "");
}

TEST_CASE("cache directory: a corrupted entry is not loaded") {
  const TemporaryDirectory directory;
  const CacheDirectory cache(directory.path());
  cache.store("x", "some bytes");
  SUBCASE("truncated") { fs::resize_file(directory.path() / "x", 20); }
  SUBCASE("truncated below the size of a check sum") { fs::resize_file(directory.path() / "x", 3); }
  SUBCASE("one changed bit") {
    std::fstream file(directory.path() / "x", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('S');
  }
  CHECK_FALSE(cache.load("x").has_value());
}

TEST_CASE("cache directory: an unwritable directory stores nothing and reports no error") {
  const TemporaryDirectory directory;
  directory.write("file", "");
  const CacheDirectory cache(directory.path() / "file");
  cache.store("x", "bytes");
  CHECK_FALSE(cache.load("x").has_value());
  cache.remove_unused();
}

TEST_CASE("cache directory: entries unused for a month are removed") {
  const TemporaryDirectory directory;
  const CacheDirectory cache(directory.path());
  for (const char* name : {"used", "unused", "new", "broken.tmp"}) cache.store(name, name);
  make_older(directory.path() / "used", 24h * 40);
  make_older(directory.path() / "unused", 24h * 40);
  make_older(directory.path() / "broken.tmp", 24h * 2);
  CHECK(cache.load("used").has_value());
  cache.remove_unused();
  CHECK(cache.load("used").has_value());
  CHECK(cache.load("new").has_value());
  CHECK_FALSE(cache.load("unused").has_value());
  CHECK_FALSE(fs::exists(directory.path() / "broken.tmp"));
}

TEST_CASE("cache directory: the least recently used entries are removed above the size limit") {
  const TemporaryDirectory directory;
  const CacheDirectory cache(directory.path());
  for (const char* name : {"a", "b", "c", "d"}) cache.store(name, std::string(1000, 'x'));
  make_older(directory.path() / "b", 5h);
  make_older(directory.path() / "c", 20h);
  make_older(directory.path() / "a", 10h);
  CHECK(cache.load("c").has_value());  // and so it was used now
  cache.remove_unused(5000);
  for (const char* name : {"a", "b", "c", "d"}) CHECK(fs::exists(directory.path() / name));
  cache.remove_unused(2500);
  CHECK_FALSE(fs::exists(directory.path() / "a"));
  CHECK_FALSE(fs::exists(directory.path() / "b"));
  CHECK(cache.load("c").has_value());
  CHECK(cache.load("d").has_value());
}

TEST_CASE("cache directory: the size limit is 2 GiB") {
  const TemporaryDirectory directory;
  const CacheDirectory cache(directory.path());
  cache.store("new", "x");
  const fs::path old = directory.path() / "old";
  std::ofstream(old).put('x');
  const auto fill_to = [&](std::uintmax_t bytes) {  // without storage for them
    fs::resize_file(old, bytes - fs::file_size(directory.path() / "new"));
    make_older(old, 1h);
    cache.remove_unused();
    return fs::exists(old);
  };
  CHECK(fill_to(std::uintmax_t{2} << 30U));
  CHECK_FALSE(fill_to((std::uintmax_t{2} << 30U) + 1));
  CHECK(cache.load("new").has_value());
}

}  // namespace cache_directory_test
