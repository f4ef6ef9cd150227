// Schema strings with a pattern. The parser of the schema language and the one of fw::Field must
// agree about them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace pattern_cases {

struct PatternCase {
  std::string_view text;
  std::string_view pattern;
  std::optional<std::string_view> value = {};  ///< the default
};

inline constexpr std::array kPatternCases = {
    PatternCase{"string:/^[a-z]+$/", "^[a-z]+$"},
    PatternCase{"string:/a/b:c<d>=e/", "a/b:c<d>=e"},
    PatternCase{"string:2-5/a/", "a"},
    PatternCase{"string:/^v=[0-9]$/=v=1", "^v=[0-9]$", "v=1"},
    PatternCase{R"(string:/^a=b\/c$/=a=b/c)", R"(^a=b\/c$)", "a=b/c"},
    PatternCase{R"(string:/^a\/=b$/=a/=b)", R"(^a\/=b$)", "a/=b"},
    PatternCase{R"(string:/a\\/b/=a\/b)", R"(a\\/b)", R"(a\/b)"},
    PatternCase{R"(string:/a\/b/=a/b)", R"(a\/b)", "a/b"},
    PatternCase{R"(string:/^[\]/=]+$/=]/)", R"(^[\]/=]+$)", "]/"},
    PatternCase{"string:/^[/=]+$/==/", "^[/=]+$", "=/"},
    PatternCase{R"(string:/^[^\]/=][/=]$/=a/)", R"(^[^\]/=][/=]$)", "a/"},
    PatternCase{R"(string:/[\[:\/a-z]+/=a/b)", R"([\[:\/a-z]+)", "a/b"},
    PatternCase{"string:/^a/b$/=a/b", "^a/b$", "a/b"},
    PatternCase{"string:/^[a-z]+/=a/", "^[a-z]+", "a/"},
    PatternCase{"string:/^https?://[^/]+/=https://x.y", "^https?://[^/]+", "https://x.y"},
    PatternCase{"string:/a|^$/=", "a|^$", ""},
};

}  // namespace pattern_cases
