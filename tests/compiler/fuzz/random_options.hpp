// Route files whose options are random, in every form that C++ has for their values.
#pragma once

#include <random>
#include <string>

namespace fairway::fuzz {

/// A file with `routes` registrations. Nearly all of it compiles.
std::string random_route_file(unsigned routes, std::mt19937_64& random);

}  // namespace fairway::fuzz
