#include "dev/build_inputs.hpp"

#include <cctype>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "files/user_error.hpp"
#include "files/whole_file.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;

/// The output of `ninja -t inputs`: a path in each line, which is quoted for a shell if necessary.
BuildInputs::Files inputs_in(const std::string& text) {
  BuildInputs::Files files;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 2 && line.starts_with('\'') && line.ends_with('\'')) {
      line = line.substr(1, line.size() - 2);
    }
    files.insert(line);
  }
  return files;
}

/// Empty if there is none, which is an error of the build.
std::string target_of(const CmakeProject& project) {
  try {
    return project.program().target;
  } catch (const UserError&) {
    return {};
  }
}

/// Make leaves the files of its compilers in the build folder.
BuildInputs::Files read_depfiles(const fs::path& folder) {
  BuildInputs::Files files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".d") continue;
    files.merge(dependencies_in_depfile(files::read_file(entry->path()).value_or("")));
  }
  return files;
}

/// The files, with absolute paths, outside the build folder. A file that is missing may come back.
BuildInputs::Files resolved(const BuildInputs::Files& files, const fs::path& build_folder) {
  BuildInputs::Files result;
  std::error_code error;
  for (const fs::path& file : files) {
    fs::path path = (build_folder / file).lexically_normal();
    const fs::path relative = path.lexically_relative(build_folder);
    const bool is_generated = relative.empty() || *relative.begin() != "..";
    const fs::file_status status = fs::status(path, error);
    const bool may_be_file = fs::is_regular_file(status) || !fs::exists(status);
    if (!is_generated && may_be_file) result.insert(std::move(path));
  }
  return result;
}

}  // namespace

/// After a line and the version, records of 4-byte numbers: the bytes of a path, with up to 3
/// zeros, and a check sum; or, with the highest bit of the size, the number of an output's path, 8
/// bytes of time, and the numbers of its dependencies. The last record of an output replaces
/// earlier ones.
BuildInputs::Files dependencies_in_log(std::string_view log) {
  constexpr std::string_view kHeader("# ninjadeps\n\4\0\0\0", 16);
  constexpr std::uint32_t kIsDependencies = 1U << 31U;
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  constexpr std::size_t kWordsBeforeDependencies = 3;
  const auto word_at = [&log](std::size_t offset) {
    std::uint32_t word = 0;
    std::memcpy(&word, log.data() + offset, kWord);
    return word;
  };
  if (!log.starts_with(kHeader)) return {};
  std::vector<std::string> paths;
  std::map<std::uint32_t, std::vector<std::uint32_t>> dependencies;  // by output
  for (std::size_t offset = kHeader.size(); offset + kWord <= log.size();) {
    const std::uint32_t head = word_at(offset);
    const std::size_t size = head & ~kIsDependencies;
    offset += kWord;
    // A build that was killed may have written a part of the last record.
    if (size % kWord != 0 || size < kWord || size > log.size() - offset) break;
    if ((head & kIsDependencies) == 0) {
      const std::string_view path = log.substr(offset, size - kWord);
      paths.emplace_back(path.substr(0, path.find('\0')));
    } else if (size >= kWord * kWordsBeforeDependencies) {
      auto& numbers = dependencies[word_at(offset)];
      numbers.clear();
      for (std::size_t i = kWordsBeforeDependencies; i < size / kWord; ++i) {
        numbers.push_back(word_at(offset + i * kWord));
      }
    }
    offset += size;
  }
  BuildInputs::Files files;
  for (const auto& [output, numbers] : dependencies) {
    for (const std::uint32_t number : numbers) {
      if (number < paths.size()) files.insert(paths[number]);
    }
  }
  return files;
}

BuildInputs::Files dependencies_in_depfile(std::string_view text) {
  BuildInputs::Files files;
  std::string word;
  const auto end_word = [&] {
    // A target ends in a colon.
    if (!word.empty() && !word.ends_with(':')) files.insert(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '\\' && next == '\n') {
      end_word();
      ++i;
    } else if ((text[i] == '\\' && (next == ' ' || next == '#')) ||
               (text[i] == '$' && next == '$')) {
      word += next;
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      end_word();
    } else {
      word += text[i];
    }
  }
  end_word();
  return files;
}

void BuildInputs::read(std::function<void(const Files&)> done) {
  process_.cancel();
  const fs::path folder = project_.build_folder();
  Files files = project_.cmake_files();
  const std::string target = target_of(project_);
  if (target.empty() || !project_.uses_ninja()) {
    files.merge(read_depfiles(folder));
    done(resolved(files, folder));
    return;
  }
  files.merge(dependencies_in_log(files::read_file(folder / ".ninja_deps").value_or("")));
  // What custom commands depend on is not in the log.
  process_.start({"cmake", "--build", folder.string(), "--", "-t", "inputs", target},
                 project_.folder(),
                 [folder, files = std::move(files),
                  done = std::move(done)](const std::string& output) mutable {
                   files.merge(inputs_in(output));
                   done(resolved(files, folder));
                 });
}

}  // namespace fairway::dev
