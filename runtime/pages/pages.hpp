// The pages of an application over its life: those in the program, or in development those on disk.
#pragma once

#include <fairway/generated/route_table.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "pages/page_set.hpp"

namespace fw::pages {

/// Thread-safe after `open`.
class Pages {
 public:
  /// Adds the pages of a mounted table.
  void add(const AppTable& table) { tables_.push_back(&table); }
  /// Reads the pages. `rendering` may be null if no table has any. `reads_directories`: from the
  /// directories of the tables, if these are below the working directory. Appends what is wrong
  /// with them to `errors`.
  void open(const detail::PageRendering* rendering, bool reads_directories,
            std::vector<std::string>& errors);

  bool empty() const { return tables_with_pages_.empty(); }
  /// The pages; in development, read again after a file has changed. Throws std::runtime_error if
  /// they have errors then.
  std::shared_ptr<const PageSet> current() const;
  /// The static pages of a route that the build has rendered from the same pages; none if it has
  /// rendered them from other ones.
  std::vector<std::string> built(const PageSet& set, std::string_view route) const;

 private:
  using Times = std::map<std::string, std::filesystem::file_time_type>;

  std::vector<PageFile> read(std::vector<std::string>& errors) const;
  Times times() const;

  const detail::PageRendering* rendering_ = nullptr;
  std::vector<const AppTable*> tables_;
  std::vector<const AppTable*> tables_with_pages_;
  bool reads_directories_ = false;
  mutable std::mutex mutex_;
  mutable Times times_;  ///< of the files that `set_` was read from
  mutable std::shared_ptr<const PageSet> set_ = std::make_shared<const PageSet>();
};

}  // namespace fw::pages
