// A route file whose handlers send random data against random schemas of `responses`.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace fairway::fuzz {

struct RandomHandlers {
  std::string text;
  std::vector<unsigned> wrong_lines;  ///< where response-mismatch must be reported, and only there
  unsigned right = 0;                 ///< handlers whose data can satisfy their schemas
  unsigned wrong = 0;                 ///< the others
};

/// Half of the handlers are wrong.
RandomHandlers random_handlers(unsigned count, std::mt19937_64& random);

}  // namespace fairway::fuzz
