#include "errors/error_page.hpp"

#include <fmt/format.h>

#include "base/html.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --line: light-dark(#d8dbe2, #3a3f4b);
        --quiet: light-dark(#5b6270, #9aa3b2); --panel: light-dark(#f5f6f8, #1e2128); }
body { margin: 0 auto; max-width: 60rem; padding: 3rem 1.5rem; font: 16px/1.5 system-ui, sans-serif; }
.status { color: #d63d3d; font-weight: 600; }
h1 { margin: .25rem 0 .5rem; font-size: 1.6rem; overflow-wrap: anywhere; }
.type { color: var(--quiet); }
code, pre, dd { font-family: ui-monospace, monospace; font-size: .875rem; }
pre { padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); border: 1px solid var(--line);
      border-radius: 6px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; margin: 2rem 0; }
dt, h2, footer { color: var(--quiet); font-size: .875rem; font-weight: 400; }
dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
)";

std::string section(std::string_view heading, std::string_view text) {
  if (text.empty()) return {};
  return fmt::format("<h2>{}</h2>\n<pre>{}</pre>\n", heading, base::escape_html(text));
}

}  // namespace

std::string render_error_page(const ErrorPage& page) {
  std::string facts;
  for (const auto& [name, value] : page.facts) {
    facts +=
        fmt::format("<dt>{}</dt><dd>{}</dd>\n", base::escape_html(name), base::escape_html(value));
  }
  const std::string type = page.type.empty() ? ""
                                             : fmt::format("<div class=\"type\">{}</div>\n",
                                                           base::escape_html(page.type));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{0} {1}</title>\n<style>{2}</style>\n</head>\n<body>\n"
      "<div class=\"status\">{0}</div>\n<h1>{1}</h1>\n{3}<dl>\n{4}</dl>\n{5}{6}{7}"
      "<footer>This page is shown in development only. Other clients get the body above as "
      "JSON.</footer>\n</body>\n</html>\n",
      page.status, base::escape_html(page.title), kStyle, type, facts,
      section("Exception", page.trace), section("Stack", page.stack),
      section("Response", page.details));
}

}  // namespace fw::detail
