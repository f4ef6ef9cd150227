// Runs the fuzz programs' functions over the inputs in corpus/, without libFuzzer: what was found
// once stays repaired, with any compiler. Usage: fuzz_replay CORPUS
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#define FUZZ_PROGRAM(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_programs.inc"
#undef FUZZ_PROGRAM

namespace {

namespace fs = std::filesystem;

using Function = int (*)(const std::uint8_t*, std::size_t);
struct Program {
  const char* name;
  Function function;
};

constexpr Program kPrograms[] = {
#define FUZZ_PROGRAM(name) {#name, fuzz_##name},
#include "fuzz_programs.inc"
#undef FUZZ_PROGRAM
};

std::size_t replay(const Program& program, const fs::path& corpus) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(corpus / program.name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s\n", entry.path().c_str());  // the last one shown is the culprit
    std::fflush(stdout);
    program.function(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_replay CORPUS\n");
    return 2;
  }
  try {
    for (const Program& program : kPrograms) {
      if (replay(program, argv[1]) > 0) continue;
      std::fprintf(stderr, "fuzz_replay: nothing in the corpus of '%s'\n", program.name);
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_replay: %s\n", error.what());
    return 1;
  }
  return 0;
}
