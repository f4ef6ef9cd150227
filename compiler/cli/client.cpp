// fairway client: a typed client of the routes.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/client_name.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/document_options.hpp"
#include "cli/project.hpp"
#include "cli/report_findings.hpp"
#include "emit/client/client_api.hpp"
#include "emit/client/client_language.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

constexpr std::array<Option, 2> kOutputOptions = {{
    {"-o", "FILE",
     "write to a file instead of standard output, and the support header of C++ beside it"},
    {"--client-name", "NAME", "name of the client's class; default: from the title"},
}};
constexpr std::array<OptionGroup, 5> kGroups = {{{"Sources", kSourceOptions},
                                                 {"Compiler flags", kFlagOptions},
                                                 {"Output", kOutputOptions},
                                                 {"Document", kDocumentOptions},
                                                 {"Report", kReportOptions}}};

const emit::ClientLanguage& find_language(std::string_view name) {
  const auto languages = emit::client_languages();
  const auto found = std::ranges::find(languages, name, &emit::ClientLanguage::name);
  if (found != languages.end()) return *found;
  std::string known;
  for (const auto& language : languages) {
    known += (known.empty() ? "'" : ", '") + std::string(language.name) + "'";
  }
  throw UsageError("no client language '" + std::string(name) + "'; there are " + known);
}

}  // namespace

std::string client_help() {
  std::string text =
      "Usage: fairway client LANGUAGE [options] [-- flags]\n\n"
      "Writes a typed client of the routes. Languages:\n";
  for (const auto& language : emit::client_languages()) {
    text += "  " + std::string(language.name) + "   " + std::string(language.title) + "\n";
  }
  return text + render_options(kGroups);
}

int run_client(std::span<const std::string> words) {
  if (words.empty() || words.front().starts_with('-')) {
    throw UsageError("which language? Write 'fairway client cpp' or 'fairway client ts'");
  }
  const emit::ClientLanguage& language = find_language(words.front());
  const Arguments arguments(words.subspan(1), kGroups);
  const Project project = read_project(arguments);
  if (!project.report.ok()) return report_findings(project.report, arguments, std::cerr);
  const emit::OpenApiOptions options = document_options(arguments);
  const emit::ClientApi api = emit::client_api(project.application, options);
  const std::string client = language.emit(api, client_name(arguments, options.title));
  if (arguments.has("-o")) {
    const std::filesystem::path file = arguments.get("-o");
    files::replace_file(file, client);
    if (!language.support_file.empty()) {
      files::replace_file(file.parent_path() / language.support_file, language.emit_support());
    }
  } else {
    std::cout << client;
    if (!language.support_file.empty()) {
      std::cerr << "fairway: the client includes " << language.support_file
                << ", which '-o FILE' writes beside it\n";
    }
  }
  return kClean;
}

}  // namespace fairway::cli
