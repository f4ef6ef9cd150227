#include "cli/common_options.hpp"

#include <cstdlib>
#include <unistd.h>

namespace fairway::cli {

bool use_color(const Arguments& arguments, int descriptor) {
  const std::string when = arguments.get("--color", "auto");
  if (when != "auto") return when == "always";
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) == 1;
}

}  // namespace fairway::cli
