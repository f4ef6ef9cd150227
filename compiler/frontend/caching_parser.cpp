#include "frontend/caching_parser.hpp"

#include "frontend/parse_with.hpp"

namespace fairway::frontend {

model::ParsedFile CachingParser::parse(const ParseJob& job) {
  return parse_with(job, headers_).file;
}

}  // namespace fairway::frontend
