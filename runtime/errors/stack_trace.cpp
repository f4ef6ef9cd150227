#include "errors/stack_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "errors/exception_info.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAIRWAY_HOOKS_THROW 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAIRWAY_HOOKS_THROW 0
#endif
#endif
#if !defined(FAIRWAY_HOOKS_THROW)
#if defined(__GLIBCXX__) && __has_include(<execinfo.h>)
#define FAIRWAY_HOOKS_THROW 1
#else
#define FAIRWAY_HOOKS_THROW 0
#endif
#endif

#if FAIRWAY_HOOKS_THROW
#include <execinfo.h>
#endif
#if defined(__GLIBC__)
#include <link.h>
#endif

extern char** environ;

namespace fw::detail {
namespace {

/// The output of a program; empty if it cannot be run or fails.
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

/// Parses "name at file:line", the output of addr2line -p.
StackFrame read_frame(std::string_view line) {
  constexpr std::string_view kSeparator = " at ";
  const std::size_t at = line.rfind(kSeparator);
  if (at == std::string_view::npos) return {std::string(line), ""};
  std::string_view source = line.substr(at + kSeparator.size());
  source = source.substr(0, source.find(" (discriminator"));
  return {std::string(line.substr(0, at)),
          std::filesystem::path(source).lexically_normal().string()};
}

/// One list of frames per offset, inlined calls first; empty without addr2line.
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

/// "lambda in total(int)". Compilers name closures each in their own way, and some of them give the
/// arguments of closures in route files wrong types.
std::string without_closures(std::string_view function) {
  const std::size_t closure = std::min(function.find("{lambda("), function.find("$_"));
  if (closure == std::string_view::npos) return std::string(function);
  std::string_view enclosing = function.substr(0, closure);
  // As an argument of a template, it does not name the function.
  if (std::ranges::count(enclosing, '<') > std::ranges::count(enclosing, '>')) {
    return std::string(function);
  }
  if (enclosing.ends_with("::")) enclosing.remove_suffix(2);
  if (enclosing.empty() || enclosing.starts_with("fairway_export_")) return "lambda";
  return fmt::format("lambda in {}", enclosing);
}

bool is_known(const StackFrame& frame) { return frame.function != "??" && !frame.function.empty(); }

StackFrame exported_frame(const Dl_info& info) {
  return {info.dli_sname != nullptr ? type_name(info.dli_sname) : "??",
          info.dli_fname != nullptr ? info.dli_fname : ""};
}

/// An address as addr2line takes it.
struct ModuleAddress {
  std::string file;
  std::uintptr_t offset = 0;
};

/// Nothing if the address is in no module, and without glibc, which tells where modules are loaded.
std::optional<ModuleAddress> module_address([[maybe_unused]] void* address) {
#if defined(__GLIBC__)
  Dl_info info = {};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return {};
  // The program has no name in the map, and may have a relative one on its command line.
  std::error_code no_matter;  // if it fails, the name is empty and nothing is found
  std::string file = *map->l_name != '\0'
                         ? map->l_name
                         : std::filesystem::read_symlink("/proc/self/exe", no_matter).string();
  // A return address points to the next instruction, which may be in the next line.
  return ModuleAddress{std::move(file),
                       reinterpret_cast<std::uintptr_t>(address) - map->l_addr - 1};
#else
  return std::nullopt;
#endif
}

}  // namespace

std::vector<StackFrame> symbolize(std::span<void* const> addresses) {
  struct Module {
    std::vector<std::uintptr_t> offsets;
    std::vector<std::size_t> positions;
  };
  std::map<std::string, Module> modules;
  std::vector<std::vector<StackFrame>> found(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    Dl_info info = {};
    if (dladdr(addresses[i], &info) == 0) continue;
    found[i] = {exported_frame(info)};
    const auto address = module_address(addresses[i]);
    if (!address) continue;
    Module& module = modules[address->file];
    module.offsets.push_back(address->offset);
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
  if (own.empty()) return frames;
  for (StackFrame& frame : own) frame.function = without_closures(frame.function);
  return own;
}

namespace {

struct Throw {
  const void* exception = nullptr;
  std::array<void*, 48> frames = {};
  std::size_t depth = 0;
};

/// The latest throws of a thread, enough for an error and its nested causes.
struct RecentThrows {
  std::array<Throw, 8> list = {};
  std::size_t count = 0;

  Throw& next() { return list[count++ % list.size()]; }
  // Addresses are reused, so only the latest throw of an address counts.
  const Throw* find(const void* exception) const {
    for (std::size_t i = 1; i <= std::min(count, list.size()); ++i) {
      const Throw& entry = list[(count - i) % list.size()];
      if (entry.exception == exception) return &entry;
    }
    return nullptr;
  }
};

std::atomic<bool> recording = false;

RecentThrows& recent_throws() {
  thread_local RecentThrows throws;
  return throws;
}

// In both C++ libraries, the handle contains only the address of the object.
const void* object_of(const std::exception_ptr& error) {
  static_assert(sizeof(error) == sizeof(void*));
  const void* object = nullptr;
  std::memcpy(&object, static_cast<const void*>(&error), sizeof object);
  return object;
}

}  // namespace

bool record_throws() noexcept {
  recording.store(true, std::memory_order_relaxed);
  return FAIRWAY_HOOKS_THROW == 1;
}

std::vector<void*> throw_trace(const std::exception_ptr& error) {
  const Throw* found = error ? recent_throws().find(object_of(error)) : nullptr;
  if (found == nullptr) return {};
  const auto frames = std::span(found->frames).first(found->depth);
  return {frames.begin(), frames.end()};
}

#if FAIRWAY_HOOKS_THROW
namespace {

void record(const void* exception) {
  Throw& entry = recent_throws().next();
  entry.exception = exception;
  const int depth = backtrace(entry.frames.data(), static_cast<int>(entry.frames.size()));
  entry.depth = static_cast<std::size_t>(std::max(depth, 0));
}

}  // namespace
#endif

}  // namespace fw::detail

#if FAIRWAY_HOOKS_THROW
// Replaces __cxa_throw of the C++ runtime and calls it. It has another name here, because compilers
// know the real one; weak, so that a statically linked C++ runtime takes precedence.
extern "C" [[noreturn]] void fairway_throw(void* exception, void* type,
                                           void (*destroy)(void*)) asm("__cxa_throw")
    __attribute__((weak));

extern "C" void fairway_throw(void* exception, void* type, void (*destroy)(void*)) {
  static const auto next =
      reinterpret_cast<decltype(&fairway_throw)>(dlsym(RTLD_NEXT, "__cxa_throw"));
  if (fw::detail::recording.load(std::memory_order_relaxed)) fw::detail::record(exception);
  next(exception, type, destroy);
  __builtin_unreachable();
}
#endif
