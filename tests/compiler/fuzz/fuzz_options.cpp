#include "fuzz_options.hpp"

#include <cstddef>
#include <stdexcept>

namespace fairway::fuzz {

void read_options(const std::vector<std::string>& words, const Options& options,
                  std::vector<std::string>& flags) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i] == "--") {
      flags.insert(flags.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      return;
    }
    const auto option = options.find(words[i]);
    if (option == options.end()) throw std::invalid_argument("unknown option " + words[i]);
    if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " needs a value");
    option->second(words[i + 1]);
  }
}

}  // namespace fairway::fuzz
