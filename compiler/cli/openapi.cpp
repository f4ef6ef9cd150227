// fairway openapi: the document of the routes.
#include "emit/openapi.hpp"

#include <array>
#include <iostream>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/document_options.hpp"
#include "cli/project.hpp"
#include "cli/report_findings.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

constexpr std::array<Option, 1> kOutputOptions = {{
    {"-o", "FILE", "write to a file instead of standard output"},
}};
constexpr std::array<OptionGroup, 5> kGroups = {{{"Sources", kSourceOptions},
                                                 {"Compiler flags", kFlagOptions},
                                                 {"Output", kOutputOptions},
                                                 {"Document", kDocumentOptions},
                                                 {"Report", kReportOptions}}};

}  // namespace

std::string openapi_help() {
  return "Usage: fairway openapi [options] [-- flags]\n\n"
         "Writes the OpenAPI 3.1 document of the routes, as JSON.\n" +
         render_options(kGroups);
}

int run_openapi(std::span<const std::string> words) {
  const Arguments arguments(words, kGroups);
  const Project project = read_project(arguments);
  if (!project.report.ok()) return report_findings(project.report, arguments);
  const std::string document = emit::emit_openapi(project.application, document_options(arguments));
  if (arguments.has("-o")) {
    files::replace_file(arguments.get("-o"), document);
  } else {
    std::cout << document;
  }
  return kClean;
}

}  // namespace fairway::cli
