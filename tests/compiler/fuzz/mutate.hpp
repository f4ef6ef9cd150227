// Sources that are nearly right: tokens of C++ removed, repeated, swapped and exchanged.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace fairway::fuzz {

using Tokens = std::vector<std::string>;

/// Words, numbers, literals and comments as wholes, every other character alone. Joined they are
/// the source again.
Tokens tokens_of(const std::string& source);

/// One to six changes; new tokens come from `pool`.
std::string mutated(Tokens tokens, const Tokens& pool, std::mt19937_64& random);

}  // namespace fairway::fuzz
