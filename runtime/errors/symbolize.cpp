#include "errors/symbolize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <link.h>
#include <map>
#include <optional>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "errors/type_name.hpp"

extern char** environ;

namespace fw::detail {
namespace {

/// What a program prints; nothing when it cannot be run or fails.
std::optional<std::string> output_of(std::vector<std::string> words) {
  std::array<int, 2> pipe_ends = {};
  if (pipe(pipe_ends.data()) != 0) return std::nullopt;
  const auto [reader, writer] = pipe_ends;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, reader);
  posix_spawn_file_actions_adddup2(&actions, writer, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(writer);
  std::string text;
  if (error == 0) {
    std::array<char, 4096> buffer = {};
    for (ssize_t size = 0; (size = read(reader, buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) text.clear();
  }
  close(reader);
  if (text.empty()) return std::nullopt;
  return text;
}

/// "name at file:line", as addr2line -p prints it.
StackFrame read_frame(std::string_view line) {
  constexpr std::string_view kSeparator = " at ";
  const std::size_t at = line.rfind(kSeparator);
  if (at == std::string_view::npos) return {std::string(line), ""};
  std::string_view place = line.substr(at + kSeparator.size());
  place = place.substr(0, place.find(" (discriminator"));
  return {std::string(line.substr(0, at)),
          std::filesystem::path(place).lexically_normal().string()};
}

/// One list of frames per offset, the inlined calls first; nothing without addr2line.
std::vector<std::vector<StackFrame>> look_up(const std::string& file,
                                             const std::vector<std::uintptr_t>& offsets) {
  std::vector<std::string> words = {"addr2line", "-a", "-f", "-C", "-i", "-p", "-e", file};
  for (const std::uintptr_t offset : offsets) words.push_back(fmt::format("{:#x}", offset));
  const auto text = output_of(std::move(words));
  std::vector<std::vector<StackFrame>> frames;
  if (!text) return frames;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    constexpr std::string_view kInlined = " (inlined by) ";
    if (line.starts_with("0x")) {
      frames.emplace_back();
      line.remove_prefix(std::min(line.find(": ") + 2, line.size()));
    } else if (line.starts_with(kInlined)) {
      line.remove_prefix(kInlined.size());
    }
    if (!frames.empty()) frames.back().push_back(read_frame(line));
  }
  return frames;
}

bool is_known(const StackFrame& frame) { return frame.function != "??" && !frame.function.empty(); }

StackFrame exported_frame(const Dl_info& info) {
  return {info.dli_sname != nullptr ? type_name(info.dli_sname) : "??",
          info.dli_fname != nullptr ? info.dli_fname : ""};
}

}  // namespace

std::vector<StackFrame> symbolize(std::span<void* const> addresses) {
  struct Module {
    std::vector<std::uintptr_t> offsets;
    std::vector<std::size_t> positions;
  };
  std::error_code no_matter;  // the name is empty then, and nothing is found
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", no_matter).string();
  std::map<std::string, Module> modules;
  std::vector<std::vector<StackFrame>> found(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    Dl_info info = {};
    link_map* map = nullptr;
    if (dladdr1(addresses[i], &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
      continue;
    found[i] = {exported_frame(info)};
    // The program itself has no name in the map, and perhaps a relative one on its command line.
    Module& module = modules[*map->l_name == '\0' ? program : map->l_name];
    // A return address stands behind its call, perhaps in the next line.
    module.offsets.push_back(reinterpret_cast<std::uintptr_t>(addresses[i]) - map->l_addr - 1);
    module.positions.push_back(i);
  }
  for (const auto& [file, module] : modules) {
    auto frames = look_up(file, module.offsets);
    if (frames.size() != module.positions.size()) continue;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (!frames[i].empty() && is_known(frames[i].front())) {
        found[module.positions[i]] = std::move(frames[i]);
      }
    }
  }
  std::vector<StackFrame> result;
  for (auto& frames : found) std::ranges::move(frames, std::back_inserter(result));
  return result;
}

std::vector<StackFrame> application_frames(std::vector<StackFrame> frames) {
  const auto of_framework = [](const StackFrame& frame) {
    return frame.function.starts_with("fw::") || frame.function == "__cxa_throw";
  };
  const auto of_library = [](const StackFrame& frame) {
    return frame.function.find("std::__invoke") != std::string::npos ||
           frame.function.find("std::_Function_handler") != std::string::npos ||
           frame.function.starts_with("std::");
  };
  std::vector<StackFrame> own;
  for (const StackFrame& frame : frames) {
    if (of_library(frame)) continue;
    if (!of_framework(frame)) {
      own.push_back(frame);
    } else if (!own.empty()) {
      break;
    }
  }
  return own.empty() ? frames : own;
}

}  // namespace fw::detail
