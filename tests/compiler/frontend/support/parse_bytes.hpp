// All that is known about a parsed file, for comparisons.
#pragma once

#include <string>

#include "model/parsed_file_archive.hpp"

namespace fairway::test {

inline std::string bytes_of(const model::ParsedFile& file) {
  files::ArchiveWriter writer;
  writer(file);
  return writer.bytes();
}

}  // namespace fairway::test
