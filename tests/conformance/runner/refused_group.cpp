#include "refused_group.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <sys/wait.h>

#include "running_group.hpp"

namespace conformance {
namespace {

/// A directory that is removed with all it holds.
class Scratch {
 public:
  Scratch() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "fairway-conformance-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int status = 0;
  std::string output;
};

Outcome run_compiler(const std::string& arguments) {
  const std::string command = std::string(FAIRWAY_PROGRAM) + " " + arguments + " --flags-file " +
                              FAIRWAY_FLAGS_FILE + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run the route compiler");
  Outcome outcome;
  std::array<char, 4096> chunk;
  while (const std::size_t count = fread(chunk.data(), 1, chunk.size(), pipe)) {
    outcome.output.append(chunk.data(), count);
  }
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

void check_mentions(const Json& expect, const std::string& message,
                    std::vector<std::string>& faults) {
  for (const Json& text : expect.value("mentions", Json::array())) {
    if (message.find(text.get<std::string>()) == std::string::npos) {
      faults.push_back("mentions: " + text.dump() + " is not in " + message);
    }
  }
}

}  // namespace

std::vector<std::string> check_refused(const RefusedGroup& group, const fw::Json& config,
                                       const Json& expect) {
  std::vector<std::string> faults;
  if (group.table == nullptr) {
    const Scratch scratch;
    const std::string source =
        std::string(CONFORMANCE_DIR) + "/" + group.area + "/" + group.name + "/src";
    const Outcome outcome =
        run_compiler("build --source-dir " + source + " --out-dir " + scratch.path().string());
    if (outcome.status != 1) {
      faults.push_back("the build of the route files was to fail, its exit status is " +
                       std::to_string(outcome.status) + ": " + outcome.output);
    }
    check_mentions(expect, outcome.output, faults);
    return faults;
  }
  try {
    const RunningGroup application({.area = group.area, .name = group.name, .table = group.table},
                                   config);
    faults.push_back("the application was to be refused, and it started");
  } catch (const fw::StartupError& error) {
    check_mentions(expect, error.what(), faults);
  }
  return faults;
}

std::vector<std::string> check_operation_id(const Json& test_case) {
  const Scratch scratch;
  std::string method = test_case.at("method");
  const std::string path = test_case.at("path");
  std::string name;
  for (const char c : method) name += static_cast<char>(std::tolower(c));
  if (name == "delete") name = "del";
  std::filesystem::create_directories(scratch.path() / "src/routes");
  std::ofstream(scratch.path() / "src/routes/index.cpp")
      << "#include <fairway/fairway.hpp>\n"
         "FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {\n"
         "  app."
      << name << "(\"" << path
      << "\", [](fw::Request&, fw::Response& res) { res.json(1); });\n"
         "});\n";
  const Outcome outcome = run_compiler("openapi --source-dir " + (scratch.path() / "src").string());
  const Json document = Json::parse(outcome.output, nullptr, false);
  if (!document.is_object()) return {"no document: " + outcome.output};
  const std::string openapi_path = test_case.at("openapiPath");
  std::string lower;
  for (const char c : method) lower += static_cast<char>(std::tolower(c));
  const Json paths = document.value("paths", Json::object());
  if (!paths.contains(openapi_path))
    return {"the document has no path " + openapi_path + ": " + paths.dump()};
  const Json& item = paths.at(openapi_path);
  if (!item.contains(lower)) return {"no operation: " + item.dump()};
  if (item.at(lower).value("operationId", Json()) != test_case.at("operationId")) {
    return {"operationId: expected " + test_case.at("operationId").dump() + ", came " +
            item.at(lower).value("operationId", Json()).dump()};
  }
  return {};
}

}  // namespace conformance
