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

constexpr std::array<std::string_view, 2> kTextFormats = {"json", "yaml"};
constexpr std::array<Option, 2> kOutputOptions = {{
    {"-o", "FILE", "write to a file instead of standard output"},
    {"--output-format", "FORMAT",
     "json or yaml; default: by the ending of FILE (.yaml, .yml), else json", kTextFormats},
}};
constexpr std::array<OptionGroup, 5> kGroups = {{{"Sources", kSourceOptions},
                                                 {"Compiler flags", kFlagOptions},
                                                 {"Output", kOutputOptions},
                                                 {"Document", kDocumentOptions},
                                                 {"Report", kReportOptions}}};

}  // namespace

std::string openapi_help() {
  return "Usage: fairway openapi [options] [-- flags]\n\n"
         "Writes the OpenAPI document of the routes, as JSON or YAML.\n" +
         render_options(kGroups);
}

int run_openapi(std::span<const std::string> words) {
  const Arguments arguments(words, kGroups);
  const emit::OpenApiOptions options = document_options(arguments);
  const Project project = read_project(arguments);
  if (!project.report.ok()) return report_findings(project.report, arguments, std::cerr);
  const auto document = emit::openapi_document(project.application, options);
  const std::string text =
      arguments.has("--output-format")
          ? document_text(document, "document." + arguments.get("--output-format"))
          : document_text(document, arguments.get("-o"));
  if (arguments.has("-o")) {
    files::replace_file(arguments.get("-o"), text);
  } else {
    std::cout << text;
  }
  return kClean;
}

}  // namespace fairway::cli
