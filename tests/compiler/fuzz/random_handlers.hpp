// A route file whose handlers send random data against random schemas of `responses`.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "random_flow.hpp"

namespace fairway::fuzz {

struct RandomHandlers {
  std::string text;
  std::vector<unsigned> wrong_lines;  ///< where response-mismatch must be reported, and only there
  unsigned right = 0;                 ///< handlers whose data can satisfy their schemas
  unsigned wrong = 0;                 ///< the others
  std::map<std::string, RandomFlow> flows = {};  ///< by path: handlers without schemas
};

/// A quarter of the handlers are flows. Half of the others are wrong.
RandomHandlers random_handlers(unsigned count, std::mt19937_64& random);

}  // namespace fairway::fuzz
