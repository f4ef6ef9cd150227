// Templates: the language, the place of each value in HTML, and the escaping there.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "templates/program.hpp"

namespace templates_test {

namespace {

using fw::Json;
using fw::templates::Error;
using fw::templates::ErrorKind;
using fw::templates::Library;
using fw::templates::parse_template;

using Files = std::map<std::string, std::string>;

/// The errors of a page and of its parts: "line:column: message", one per line.
struct Linked {
  Library library;
  std::vector<Error> errors;
  fw::templates::Program program;

  explicit Linked(const Files& files) {
    for (const auto& [name, source] : files) library.add(parse_template(name, source, errors));
    if (errors.empty()) program = library.link("page", false, errors);
  }
  std::string text() const {
    std::string lines;
    for (const Error& error : errors) {
      const auto at =
          fw::templates::line_column(library.find(error.name)->source, error.span.offset);
      lines += error.name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
               error.message + "\n";
    }
    return lines;
  }
};

std::string render(const Files& files, const Json& data) {
  const Linked linked(files);
  REQUIRE(linked.text() == "");
  std::string out;
  const fw::templates::Data tree(data);
  linked.program.render(out, {.data = {&tree.root()}});
  return out;
}
std::string render(const std::string& page, const Json& data) {
  return render(Files{{"page", page}}, data);
}

std::string errors(const std::string& page) { return Linked({{"page", page}}).text(); }
std::string errors(const Files& files) { return Linked(files).text(); }

/// Whether a page is rejected for where its value is.
bool is_unsafe(const std::string& page) {
  const Linked linked({{"page", page}});
  return linked.errors.size() == 1 && linked.errors.front().kind == ErrorKind::unsafe;
}

}  // namespace

TEST_CASE("templates: values, sections and name lookup") {
  CHECK(render("Hello {{name}}!", {{"name", "Ada"}}) == "Hello Ada!");
  CHECK(render("{{a.b.c}} {{a.x.c}}|{{none}}", {{"a", {{"b", {{"c", 7}}}}}}) == "7 |");
  CHECK(render("{{#on}}yes{{/on}}{{^on}}no{{/on}}", {{"on", true}}) == "yes");
  CHECK(render("{{#on}}yes{{/on}}{{^on}}no{{/on}}", Json::object()) == "no");
  CHECK(render("{{#list}}[{{.}}]{{/list}}", {{"list", {1, 2, "c"}}}) == "[1][2][c]");
  CHECK(render("{{#list}}{{n}}{{unit}} {{/list}}",
               {{"unit", "kg"}, {"list", {{{"n", 1}}, {{"n", 2}, {"unit", "g"}}}}}) == "1kg 2g ");
  CHECK(render("{{#user}}{{name}}{{/user}}", {{"user", {{"name", "Ada"}}}}) == "Ada");
  CHECK(render("{{! a comment }}a{{!\n over lines }}b", {}) == "ab");
  CHECK(render("{{=<% %>=}}<% a %> {{a}} <%={{ }}=%>{{a}}", {{"a", 1}}) == "1 {{a}} 1");
  for (const Json& falsy : {Json(), Json(false), Json(0), Json(""), Json::array()}) {
    CAPTURE(falsy);
    CHECK(render("{{#v}}t{{/v}}{{^v}}f{{/v}}", {{"v", falsy}}) == "f");
  }
  CHECK(render("{{#v}}t{{/v}}", {{"v", Json::object()}}) == "t");
}

TEST_CASE("templates: a line with only tags that print nothing is removed") {
  CHECK(render("<ul>\n  {{#list}}\n  <li>{{.}}</li>\n  {{/list}}\n</ul>\n", {{"list", {1, 2}}}) ==
        "<ul>\n  <li>1</li>\n  <li>2</li>\n</ul>\n");
  CHECK(render("a\r\n{{! x }}\r\nb", {}) == "a\r\nb");
  CHECK(render("a {{! x }}\nb", {}) == "a \nb");
}

TEST_CASE("templates: partials and layouts are rendered") {
  CHECK(render({{"page", "{{#list}}{{> _item}}{{/list}}"}, {"_item", "[{{.}}]"}},
               {{"list", {1, 2}}}) == "[1][2]");
  const Files layout = {
      {"page", "{{< _layout}}{{$title}}Hi {{name}}{{/title}} {{$body}}B{{/body}}{{/_layout}}"},
      {"_layout", "<h1>{{$title}}Untitled{{/title}}</h1>{{$body}}{{/body}}{{$end}}E{{/end}}"}};
  CHECK(render(layout, {{"name", "A&B"}}) == "<h1>Hi A&amp;B</h1>BE");
  CHECK(render({{"page", "{{< _middle}}{{$a}}page{{/a}}{{/_middle}}"},
                {"_middle", "{{< _outer}}{{$a}}middle{{/a}}{{$b}}middle{{/b}}{{/_outer}}"},
                {"_outer", "{{$a}}outer{{/a}} {{$b}}outer{{/b}} {{$c}}outer{{/c}}"}},
               {}) == "page middle outer");
  CHECK(render({{"page", "{{> tree}}"}, {"tree", "({{n}}{{#in}}{{> tree}}{{/in}})"}},
               {{"n", 1}, {"in", {{{"n", 2}, {"in", Json::array()}}}}}) == "(1(2))");
  const Linked endless({{"page", "{{> tree}}"}, {"tree", "{{#in}}{{> tree}}{{/in}}"}});
  std::string out;
  const Json data = {{"in", {{{"n", 2}}}}};
  CHECK_THROWS_WITH(endless.program.render(out, {.data = {&fw::templates::Data(data).root()}}),
                    doctest::Contains("includes itself more than 100 times"));
}

TEST_CASE("templates: syntax errors have line and column") {
  CHECK(errors("a\n b {{name") == "page:2:4: the tag '{{' is not closed\n");
  CHECK(errors("{{#a}}x") == "page:1:1: the section 'a' is not closed\n");
  CHECK(errors("x{{/a}}") == "page:1:2: '{{/a}}' closes nothing\n");
  CHECK(errors("{{#a}}{{#b}}{{/a}}") == "page:1:13: '{{/a}}' does not close 'b'\n");
  CHECK(errors("{{a b}}") == "page:1:1: 'a b' is not a name\n");
  CHECK(errors("{{}}") == "page:1:1: the tag has no name\n");
  CHECK(errors("{{=x=}}") == "page:1:1: the tag must set two delimiters\n");
  CHECK(errors("{{> _iten}}") == "page:1:1: there is no template '_iten'\n");
  CHECK(errors({{"page", "{{> _iten}}"}, {"_item", ""}}) ==
        "page:1:1: there is no template '_iten'; did you mean '_item'?\n");
  CHECK(errors({{"page", "{{< page}}{{/page}}"}}) == "page:1:1: 'page' is a layout of itself\n");
  CHECK(errors({{"page", "{{< _l}}text{{/_l}}"}, {"_l", ""}}) ==
        "page:1:9: content for the layout '_l' outside of its blocks\n");
  CHECK(errors(
            {{"page", "<a href=\"{{> _url}}\">"}, {"_url", "x{{#a}}{{> _url}}{{> _url}}{{/a}}"}}) ==
        "_url:1:8: '_url' includes itself in a different context each time\n");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{{#a}}";
  CHECK(errors(deep) == "page:1:385: more than 64 nested sections\n");
}

TEST_CASE("templates: every part must contain complete HTML") {
  CHECK(errors("<p class=\"a") == "page:1:11: the template ends in an attribute value\n");
  CHECK(errors("<!-- a") == "page:1:6: the template ends in a comment\n");
  CHECK(errors("<script>") == "page:1:8: the template ends in a script\n");
  CHECK(errors("{{#a}}<p {{/a}}>") ==
        "page:1:1: the section 'a' begins in text and ends in a tag\n");
  CHECK(errors("<a href=\"{{#x}}\">{{/x}}") ==
        "page:1:10: the section 'x' begins in an attribute value and ends in text\n");
  CHECK(errors("a <{{! }}b>") ==
        "page:1:3: a template tag or the end of the template splits HTML "
        "markup\n");
  CHECK(errors("<script></scr{{! }}ipt>")
            .starts_with("page:1:13: a template tag or the end of the template splits"));
  CHECK(errors("<script><!-- <script></script>")
            .starts_with("page:1:9: a script must not contain '<!--'"));
  CHECK(errors("<p a\"b>") == "page:1:5: unexpected '\"' in a tag\n");
  CHECK(errors("<p {{#a}}on{{/a}}click=\"x\">") ==
        "page:1:18: white space is missing in the tag\n");
  CHECK(errors("<option{{#s}} selected{{/s}}><p {{#a}}hidden{{/a}} id=\"x\">1 < 2</p>") == "");
  CHECK(errors({{"page", "<p class=\"{{> _class}}\">"}, {"_class", "a {{b}}"}}) == "");
}

TEST_CASE("templates: values are escaped for their context") {
  const Json data = {{"v", "<&>\"'"}, {"u", "/a?b=c&d"}, {"n", 1.5}, {"o", {{"k", "</script>"}}}};
  CHECK(render("<p>{{v}}</p>", data) == "<p>&lt;&amp;&gt;&quot;&#39;</p>");
  CHECK(render("<p>{{{v}}}{{& v}}</p>", data) == "<p><&>\"'<&>\"'</p>");
  CHECK(render("<title>{{v}}</title><textarea>{{v}}</textarea>", data) ==
        "<title>&lt;&amp;&gt;&quot;&#39;</title><textarea>&lt;&amp;&gt;&quot;&#39;</textarea>");
  CHECK(render("<p title='{{v}}' data-n=\"{{n}}\">", data) ==
        "<p title='&lt;&amp;&gt;&quot;&#39;' data-n=\"1.5\">");
  CHECK(render("<a href=\"{{u}}\"><a href=\"/p/{{u}}?q={{v}}\">", data) ==
        "<a href=\"/a?b=c&amp;d\"><a href=\"/p/%2Fa%3Fb%3Dc%26d?q=%3C%26%3E%22%27\">");
  CHECK(render("<img srcset=\"/i/{{n}}.png 1x, /i/{{v}} 2x\">", data) ==
        "<img srcset=\"/i/1.5.png 1x, /i/%3C%26%3E%22%27 2x\">");
  CHECK(render("<script type=\"application/json\">{\"o\": {{o}}, \"n\": {{n}}, \"x\": {{x}} "
               "}</script>",
               data) ==
        "<script type=\"application/json\">{\"o\": "
        "{\"k\":\"\\u003c/script\\u003e\"}, \"n\": 1.5, \"x\": null }</script>");
}

TEST_CASE("templates: URLs with schemes that run code are replaced") {
  const auto href = [](const std::string& url) {
    return render("<a href=\"{{u}}\">", {{"u", url}});
  };
  for (const char* url : {"javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\nscript:alert(1)",
                          "\x01javascript:alert(1)", "data:text/html,x", "vbscript:x", ":x",
                          "blob:x", "file:///etc"}) {
    CAPTURE(url);
    CHECK(href(url) == "<a href=\"#unsafe-url\">");
  }
  for (const char* url : {"https://a.example/x", "http://a", "mailto:a@b", "tel:1", "/a:b", "a/b:c",
                          "?a:b", "#a:b", "//a.example", "", "HTTPS://A"}) {
    CAPTURE(url);
    CHECK(href(url) == "<a href=\"" + std::string(url) + "\">");
  }
  // A prefix must not become a scheme.
  CHECK(errors("<a href=\"{{a}}:{{b}}\">").find("scheme of the URL") != std::string::npos);
  CHECK(is_unsafe("<a href=\"javascript:go({{a}})\">"));
  CHECK(render("<a href=\"{{#s}}x{{/s}}{{u}}\">", {{"u", "javascript:x"}}) ==
        "<a href=\"javascript%3Ax\">");
}

TEST_CASE("templates: character references in a URL are decoded before its scheme is checked") {
  for (const char* page :
       {"<a href=\"java&#115;cript:go({{a}})\">", "<a href=\"java&#x73;cript:go({{a}})\">",
        "<a href=\"java&#0000115cript:go({{a}})\">", "<a href='&#106avascript:go({{a}})'>",
        "<a href=\"javascript&colon;go({{a}})\">", "<a href=\"javascript&#58;go({{a}})\">",
        "<a href=\"javascript&#58go({{a}})\">", "<a href=\"java&Tab;script:go({{a}})\">",
        "<a href=\"java&#10;script&NewLine;:go({{a}})\">"}) {
    CAPTURE(page);
    CHECK(is_unsafe(page));
  }
  const auto is_found = [](const std::string& page, std::string_view message) {
    return errors(page).find(message) != std::string::npos;
  };
  CHECK(is_found("<a href=\"{{a}}&colon;{{b}}\">", "scheme of the URL"));
  CHECK(is_found("<a href=\"{{a}}&#58;{{b}}\">", "scheme of the URL"));
  for (const char* page : {"<a href=\"javascript&#5{{a}}\">", "<a href=\"{{a}}&#58{{b}}\">"}) {
    CHECK(is_found(page, "a template tag splits a character reference in a URL"));
  }
  for (const char* page :
       {"<a href=\"?a=1&amp;b={{a}}\">", "<a href=\"?a=1&{{a}}=2\">", "<a href=\"a&amp;b{{a}}\">",
        "<a href=\"a&{{a}}\">", "<a href=\"java&#115;cript/{{a}}\">", "<a href=\"a&sol;b:{{a}}\">",
        "<a href=\"/&#58;#&#{{a}}\">", "<a href=\"javascripts&#58;{{a}}\">",
        "<p title=\"&#5{{a}}\">"}) {
    CAPTURE(page);
    CHECK(errors(page) == "");
  }
}

TEST_CASE("templates: links to style sheets and code must have constant URLs") {
  for (const char* page :
       {"<link rel=\"stylesheet\" href=\"{{v}}\">", "<link href='{{v}}' rel=stylesheet>",
        "<link rel=\"Alternate\tSTYLESHEET\" href=\"/a/{{v}}.css\">",
        "<link rel=\"style&#115;heet\" href=\"{{v}}\">", "<link rel=styleshee&#116 href=\"{{v}}\">",
        "<link rel=\"modulepreload\" href=\"{{v}}\">", "<link rel=\"manifest\" href=\"{{v}}\">",
        "<link rel=\"{{r}}\" href=\"{{v}}\">", "<link href=\"{{v}}\" rel=\"style{{r}}\">",
        "<link {{#s}}rel=\"stylesheet\"{{/s}} href=\"{{v}}\">",
        "<link {{#s}}href=\"{{v}}\"{{/s}} rel=\"stylesheet\">",
        "<link rel=\"{{#s}}style{{/s}}sheet\" href=\"{{v}}\">"}) {
    CAPTURE(page);
    CHECK(errors(page).find("'href' of a 'link' that loads") != std::string::npos);
  }
  for (const char* page :
       {"<link rel=\"canonical\" href=\"{{v}}\">", "<link rel=\"icon\" href=\"/{{v}}.png\">",
        "<link rel=\"{{r}}\" href=\"/a.css\">", "<link rel=\"stylesheet\" href=\"/a.css\">",
        "<link rel=\"stylesheet\" href=\"/a.css\"><a rel=\"stylesheet\" href=\"{{v}}\">",
        "<link rel=\"stylesheets\" href=\"{{v}}\">",
        "<link rel=\"stylesheet\" href=\"/a.css\" title=\"{{v}}\">"}) {
    CAPTURE(page);
    CHECK(errors(page) == "");
  }
}

TEST_CASE("templates: contexts without safe escaping are rejected") {
  for (const char* page : {"<script>let a = {{v}};</script>",
                           "<script type=\"module\">{{v}}</script>",
                           "<script type=\"text/template\">{{v}}</script>",
                           "<style>{{v}}</style>",
                           "<p style=\"color: {{v}}\">",
                           "<p onclick=\"f({{v}})\">",
                           "<p ONCLICK='{{v}}'>",
                           "<iframe srcdoc=\"{{v}}\"></iframe>",
                           "<!-- {{v}} -->",
                           "<!doctype {{v}}>",
                           "<{{! }} {{v}}",
                           "<p {{v}}>",
                           "<p {{v}}=\"a\">",
                           "<p a{{v}}=\"a\">",
                           "<p a={{v}}>",
                           "<p a=b{{v}}>",
                           "<p a=b\vtitle=\"{{v}}\">",
                           "<script></script\v>{{v}}</script>",
                           "<script src=\"{{v}}\"></script>",
                           "<script src=\"/a/{{v}}\"></script>",
                           "<base href=\"{{v}}\">",
                           "<object data=\"{{v}}\"></object>",
                           "<embed src=\"{{v}}\">",
                           "<iframe>{{v}}</iframe>",
                           "<img srcset=\"{{v}} 1x\">",
                           "<p title=\"{{{v}}}\">",
                           "<title>{{{v}}}</title>",
                           "<svg><animate to=\"{{v}}\"></svg>",
                           "</p {{v}}>",
                           "<script type=\"{{v}}\"></script>",
                           "<script type type=\"application/json\">{{v}}</script>",
                           "<script type=\"\" type=\"application/json\">{{v}}</script>",
                           "<meta http-equiv=\"{{v}}\">",
                           "<script type=\"application/json\">{\"a\": \"{{v}}\"}</script>"}) {
    CAPTURE(page);
    const std::string found = errors(page);
    CHECK(found != "");
  }
  CHECK(errors("<meta http-equiv=\"refresh\" content=\"0;url={{v}}\">")
            .find("'content' of a 'meta' with") != std::string::npos);
  CHECK(errors("<meta content=\"0;url={{v}}\" http-equiv=\"refresh\">") != "");
  CHECK(errors("<meta name=\"a\" content=\"{{v}}\">") == "");
  CHECK(errors("<p onclick=\"f({{v}})\">") ==
        "page:1:15: a value in the attribute 'onclick' of 'p' cannot be escaped safely\n");
  CHECK(errors("<script>\n  go({{v}});\n</script>") ==
        "page:2:6: a value in a script cannot be escaped safely\n");
}

TEST_CASE("templates: encoded data is rendered like a tree") {
  const std::string page =
      "{{s}}|{{e}}|{{n}}|{{big}}|{{t}}{{f}}|{{none}}|{{o}}|{{a}}|{{#a}}[{{.}}{{k}}]{{/a}}|"
      "{{#zero}}z{{/zero}}{{^zero}}Z{{/zero}}{{#empty}}e{{/empty}}{{#o}}{{k}}{{/o}}{{o.l.m}}"
      "<script type=\"application/json\">[{{s}}, {{o}}, {{none}}, {{missing}}]</script>";
  const std::string json =
      " {\"s\": \"<a> & \\\"b\\\"\", \"e\": \"\\u00e9\\n\", \"n\": -1.5e3, \"big\": 1e+16, "
      "\"t\": true, \"f\": false, \"none\": null, \"zero\": 0.0, \"empty\": \"\", "
      "\"o\":{\"k\":\"v\",\"l\":{\"m\":1}}, \"a\":[1,\"x\",{\"k\":2}] } ";
  const Linked linked({{"page", page}});
  REQUIRE(linked.text() == "");
  std::string parsed;
  const auto data = fw::templates::Data::parse(json);
  linked.program.render(parsed, {.data = {&data.root()}});
  std::string expected = render(page, Json::parse(json));
  // Numbers keep the form in which they were encoded.
  expected.replace(expected.find("-1500.0"), 7, "-1.5e3");
  CHECK(parsed == expected);
  for (const char* malformed : {"", "{", "{\"a\" 1}", "{\"a\":}", "[1,]", "\"a", "\"\\", "{} {}",
                                "nul", "{\"a\":\"\\x\"}", "{1:2}"}) {
    CAPTURE(malformed);
    CHECK_THROWS_AS(fw::templates::Data::parse(malformed), std::invalid_argument);
  }
  CHECK_THROWS_WITH(fw::templates::Data::parse(std::string(2000, '[')),
                    "the data of a page is nested too deeply");
}

}  // namespace templates_test
