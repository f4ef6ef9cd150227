// Options that several commands share.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cli/arguments.hpp"

namespace fairway::cli {

inline constexpr std::array<std::string_view, 3> kColorChoices = {"auto", "always", "never"};
inline constexpr std::array<std::string_view, 4> kFormatChoices = {"text", "json", "sarif",
                                                                   "github"};

inline constexpr std::array<Option, 5> kSourceOptions = {{
    {"--source-dir", "DIR", "folder with routes/, middlewares/ and plugins/; default: src"},
    {"--name", "NAME", "name of the application, where a program has several"},
    {"--middleware", "NAME", "a middleware that the program brings itself; may be repeated"},
    {"--cache-dir", "DIR",
     "cache directory; default: cache/ in --out-dir, else the user's cache directory"},
    {"--no-cache", "", "ignore cached results, except the precompiled framework header"},
}};

inline constexpr std::array<Option, 4> kFlagOptions = {{
    {"-p", "DIR",
     "build directory with compile_commands.json; default: the nearest one at or above the "
     "sources"},
    {"--objects", "DIR",
     "for files that are compiled several times: take the command with its object file below DIR"},
    {"--flags-file", "FILE", "compiler flags, one a line, instead of a build directory"},
    {"--", "FLAGS", "arguments passed to the compiler"},
}};

inline constexpr std::array<Option, 4> kReportOptions = {{
    {"--format", "FORMAT", "text (default), json, sarif (2.1.0) or github (workflow annotations)",
     kFormatChoices},
    {"--color", "WHEN", "auto (default), always or never; NO_COLOR is honoured", kColorChoices},
    {"--jobs", "N", "number of parallel jobs; default: the number of processors"},
    {"--help", "", "show this help"},
}};

/// The value of an option that becomes a part of C++ names; empty when it is not written. `what` is
/// what it names ("an application"). Throws UsageError for a value that is no identifier.
std::string identifier_option(const Arguments& arguments, std::string_view option,
                              std::string_view what);

/// Whether output to `descriptor` is coloured, by --color, NO_COLOR and the terminal.
bool use_color(const Arguments& arguments, int descriptor);

}  // namespace fairway::cli
