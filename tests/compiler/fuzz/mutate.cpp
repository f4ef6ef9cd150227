#include "mutate.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace fairway::fuzz {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// After the token that begins at `begin`.
std::size_t token_end(const std::string& source, std::size_t begin) {
  const char first = source[begin];
  if (source.compare(begin, 2, "//") == 0) {
    return std::min(source.find('\n', begin), source.size());
  }
  std::size_t end = begin + 1;
  if (first == '"' || first == '\'') {
    while (end < source.size() && source[end] != first && source[end] != '\n') {
      end += source[end] == '\\' ? 2U : 1U;
    }
    return std::min(end + 1, source.size());
  }
  if (is_word(first)) {
    while (end < source.size() && is_word(source[end])) ++end;
  }
  return end;
}

std::size_t below(std::size_t bound, std::mt19937_64& random) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

void change(Tokens& tokens, const Tokens& pool, std::mt19937_64& random) {
  const std::size_t at = below(tokens.size(), random);
  const std::size_t length = 1 + below(std::min<std::size_t>(tokens.size() - at, 12), random);
  const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  const std::string& other = pool[below(pool.size(), random)];
  switch (below(7, random)) {
    case 0:
      tokens.erase(begin);
      break;
    case 1:
      tokens.erase(begin, end);
      break;
    case 2:
      *begin = other;
      break;
    case 3:
      tokens.insert(begin, other);
      break;
    case 4:
      std::swap(*begin, tokens[below(tokens.size(), random)]);
      break;
    case 5: {
      const Tokens copy(begin, end);
      tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(below(tokens.size(), random)),
                    copy.begin(), copy.end());
      break;
    }
    default:
      // Cut inside a token.
      begin->resize(below(begin->size() + 1, random));
      break;
  }
}

}  // namespace

Tokens tokens_of(const std::string& source) {
  Tokens tokens;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = token_end(source, begin);
    tokens.push_back(source.substr(begin, end - begin));
    begin = end;
  }
  return tokens;
}

std::string mutated(Tokens tokens, const Tokens& pool, std::mt19937_64& random) {
  for (std::size_t changes = 1 + below(6, random); changes > 0 && !tokens.empty(); --changes) {
    change(tokens, pool, random);
  }
  std::string source;
  for (const std::string& token : tokens) source += token;
  return source;
}

}  // namespace fairway::fuzz
