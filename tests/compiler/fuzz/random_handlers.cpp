#include "random_handlers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace fairway::fuzz {
namespace {

/// What a C++ type is in JSON.
struct Shape {
  enum class Kind { integer, number, boolean, text, enumeration, date, any, map, list, object };

  struct Name {
    std::string text;
    bool is_optional = false;
  };

  Kind kind = Kind::text;
  std::string cpp = {};                  ///< the type
  std::vector<Name> names = {};          ///< `object`: of its members
  std::vector<Shape> parts = {};         ///< `object`: its members; `list`, `map`: one item
  std::vector<std::string> values = {};  ///< `enumeration`
};

class Writer {
 public:
  explicit Writer(std::mt19937_64& random) : random_(random) {}

  RandomHandlers write(unsigned count) {
    for (int i = 0; i < 3; ++i) enumerations_.push_back(declare_enumeration());
    for (int i = 0; i < 6; ++i) objects_.push_back(declare_object());
    std::string registrations;
    for (unsigned i = 0; i < count; ++i) {
      if (below(4) == 0) {
        registrations += flow(i);
        continue;
      }
      const bool is_wrong = below(2) == 0;
      registrations += handler(i, is_wrong);
      ++(is_wrong ? result_.wrong : result_.right);
    }
    result_.text = fmt::format(R"(#include <fairway/fairway.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "index.routes.hpp"

namespace {{

{}
struct Other {{
  std::string reason;
}};
{}
{}
}}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {{
{}}});
)",
                               declarations_, kFlowDeclarations, functions_, registrations);
    // The marks are where the diagnostics must be.
    unsigned line = 1;
    for (std::size_t at = 0; at < result_.text.size(); ++at) {
      if (result_.text[at] == '\n') ++line;
      if (result_.text.compare(at, kMark.size(), kMark) == 0) result_.wrong_lines.push_back(line);
    }
    return std::move(result_);
  }

 private:
  using Kind = Shape::Kind;

  static constexpr std::string_view kMark = "// wrong";

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  std::string one_of(std::initializer_list<const char*> list) {
    return list.begin()[below(list.size())];
  }

  Shape declare_enumeration() {
    Shape shape{.kind = Kind::enumeration, .cpp = fmt::format("Enum{}", enumerations_.size())};
    for (const char* value : {"low", "middle", "high"}) {
      if (shape.values.empty() || below(2) == 0) shape.values.emplace_back(value);
    }
    declarations_ +=
        fmt::format("enum class {} {{ {} }};\n", shape.cpp, fmt::join(shape.values, ", "));
    return shape;
  }

  Shape declare_object() {
    Shape shape{.kind = Kind::object, .cpp = fmt::format("Object{}", objects_.size())};
    std::string members;
    for (std::size_t i = 0, count = 1 + below(4); i < count; ++i) {
      shape.names.push_back({fmt::format("m{}", i), below(4) == 0});
      shape.parts.push_back(random_shape(2));
      const std::string& type = shape.parts.back().cpp;
      members += fmt::format("  {} {};\n",
                             shape.names.back().is_optional ? "std::optional<" + type + ">" : type,
                             shape.names.back().text);
    }
    declarations_ += fmt::format("struct {} {{\n{}}};\n", shape.cpp, members);
    return shape;
  }

  Shape random_shape(int depth) {
    switch (below(depth > 0 ? 11 : 7)) {
      case 0:
        return {
            .kind = Kind::integer,
            .cpp = one_of({"int", "std::int64_t", "std::uint8_t", "fw::Field<\"integer:1-\">"})};
      case 1:
        return {.kind = Kind::number, .cpp = one_of({"double", "float", "fw::Field<\"number\">"})};
      case 2:
        return {.kind = Kind::boolean, .cpp = one_of({"bool", "fw::Field<\"boolean\">"})};
      case 3:
        return {.kind = Kind::text,
                .cpp = one_of({"std::string", "fw::Field<\"string:1-\">", "fw::Field<\"email\">"})};
      case 4:
        return {.kind = Kind::date,
                .cpp = one_of({"std::chrono::sys_days", "std::chrono::sys_seconds"})};
      case 5:
        return {.kind = Kind::any, .cpp = "fw::Json"};
      case 6:
        return enumerations_[below(enumerations_.size())];
      case 7: {
        Shape item = random_shape(depth - 1);
        std::string cpp = fmt::format("std::map<std::string, {}>", item.cpp);
        return {.kind = Kind::map, .cpp = std::move(cpp), .parts = {std::move(item)}};
      }
      case 8:
      case 9:
        return list_of(random_shape(depth - 1));
      default:
        return objects_.empty() ? random_shape(0) : objects_[below(objects_.size())];
    }
  }

  Shape list_of(Shape item) {
    std::string cpp = below(3) == 0 ? fmt::format("fw::Items<{}, 0, 9>", item.cpp)
                                    : fmt::format("std::vector<{}>", item.cpp);
    return {.kind = Kind::list, .cpp = std::move(cpp), .parts = {std::move(item)}};
  }

  // Schemas.

  /// The schema of a member or an item that a value of the shape can satisfy.
  std::string right_schema(const Shape& shape) {
    if (below(12) == 0) return "\"any\"";
    switch (shape.kind) {
      case Kind::integer:
        return one_of(
            {"\"integer\"", "\"number\"", "\"string\"", "\"integer:0-200\"", "\"enum:1,2\""});
      case Kind::number:
        return one_of({"\"number\"", "\"string\"", "\"integer\"", "\"number:0-\""});
      case Kind::boolean:
        return one_of({"\"boolean\"", "\"string\""});
      case Kind::text:
        // An address is never a number or a boolean.
        if (shape.cpp.find("email") != std::string::npos) {
          return one_of({"\"string\"", "\"string:1-5\"", "\"email\""});
        }
        return one_of({"\"string\"", "\"string:1-5\"", "\"integer\"", "\"boolean\"", "\"email\"",
                       "\"enum:a,b\""});
      case Kind::date:
        if (shape.cpp == "std::chrono::sys_days") return one_of({"\"string\"", "\"date\""});
        return one_of({"\"string\"", "\"datetime\""});
      case Kind::enumeration:
        return below(2) == 0
                   ? std::string("\"string\"")
                   : fmt::format("\"enum:other,{}\"", shape.values[below(shape.values.size())]);
      case Kind::any:
        return one_of(
            {"\"integer\"", "\"array<string>\"", "\"object\"", "{{\"id\", \"integer\"}}"});
      case Kind::map:
        return below(2) == 0 ? "\"object\"" : "{{\"may_be_there\", \"integer?\"}}";
      case Kind::list:
        return right_list(shape.parts.front());
      case Kind::object:
        return below(6) == 0 ? "\"object\"" : "{" + right_members(shape) + "}";
    }
    return "\"any\"";
  }

  std::string right_list(const Shape& item) {
    if (item.kind == Kind::object && below(4) != 0)
      return "fw::array_of({" + right_members(item) + "})";
    if (item.kind <= Kind::enumeration && below(4) != 0) {
      const std::string schema = right_schema(item);
      return "\"array<" + schema.substr(1, schema.size() - 2) + ">\"";
    }
    return "\"array\"";
  }

  std::string right_members(const Shape& object) {
    std::string members;
    for (std::size_t i = 0; i < object.parts.size(); ++i) {
      if (below(5) == 0) continue;  // other members are removed
      members +=
          fmt::format("{{\"{}\", {}}}, ", object.names[i].text, right_schema(object.parts[i]));
    }
    if (members.empty() || below(3) == 0) {
      members += one_of({"{\"extra\", \"string?\"}, ", "{\"extra\", \"integer=3\"}, ",
                         "{\"extra\", fw::optional({{\"deep\", \"string\"}})}, "});
    }
    return members;
  }

  /// A schema that no value of the shape can satisfy; empty if there is none.
  std::string wrong_schema(const Shape& shape) {
    switch (shape.kind) {
      case Kind::integer:
      case Kind::number:
        return one_of(
            {"\"boolean\"", "\"array\"", "\"object\"", "\"null\"", "{{\"id\", \"integer?\"}}"});
      case Kind::boolean:
        return one_of(
            {"\"integer\"", "\"number\"", "\"array<boolean>\"", "\"object\"", "\"null\""});
      case Kind::text:
      case Kind::date:
        return one_of(
            {"\"array\"", "\"object\"", "\"null\"", "fw::array_of({{\"id\", \"string\"}})"});
      case Kind::enumeration:
        return one_of({"\"enum:other,another\"", "\"array\"", "\"object\""});
      case Kind::any:
        return {};
      case Kind::map:
        return one_of({"\"string\"", "\"array\"", "\"boolean\"", "\"integer\""});
      case Kind::list: {
        const Shape& item = shape.parts.front();
        if (item.kind == Kind::object && below(3) != 0) {
          return "fw::array_of({" + wrong_members(item) + "})";
        }
        if (item.kind == Kind::boolean && below(2) == 0) return "\"array<integer>\"";
        if (item.kind == Kind::enumeration && below(2) == 0) return "\"array<enum:other>\"";
        if (item.kind == Kind::list && below(2) == 0) return "\"array<string>\"";
        return one_of({"\"string\"", "\"object\"", "\"integer\"", "{{\"id\", \"integer?\"}}"});
      }
      case Kind::object:
        return below(4) == 0 ? one_of({"\"string\"", "\"array\"", "\"null\""})
                             : "{" + wrong_members(shape) + "}";
    }
    return {};
  }

  /// The members of an object, one of them wrong.
  std::string wrong_members(const Shape& object) {
    const std::size_t chosen = below(object.parts.size());
    // A member that may be absent is no error.
    const std::string schema =
        object.names[chosen].is_optional ? std::string() : wrong_schema(object.parts[chosen]);
    const std::string wrong =
        schema.empty() || below(2) == 0
            ? one_of({"{\"missing\", \"string\"}", "{\"missing\", \"any\"}",
                      "{\"missing\", {{\"deep\", \"integer\"}}}"})
            : fmt::format("{{\"{}\", {}}}", object.names[chosen].text, schema);
    std::string members;
    for (std::size_t i = 0; i < object.parts.size(); ++i) {
      if (i == chosen || below(3) == 0) continue;
      members +=
          fmt::format("{{\"{}\", {}}}, ", object.names[i].text, right_schema(object.parts[i]));
    }
    return below(2) == 0 ? members + wrong + ", " : wrong + ", " + members;
  }

  /// What `responses` has for the shape.
  std::string declared(const Shape& shape, bool is_wrong) {
    if (shape.kind == Kind::object) {
      if (!is_wrong && below(6) == 0) return fmt::format("fw::type<{}>", shape.cpp);
      return "{" + (is_wrong ? wrong_members(shape) : right_members(shape)) + "}";
    }
    const Shape& item = shape.parts.front();
    return "fw::array_of({" + (is_wrong ? wrong_members(item) : right_members(item)) + "})";
  }

  // Handlers.

  /// What is sent: an object, or a list of objects.
  Shape random_data() {
    const Shape& object = objects_[below(objects_.size())];
    return below(4) == 0 ? list_of(object) : object;
  }

  std::string handler(unsigned index, bool is_wrong) {
    const Shape data = random_data();
    const std::string mark = is_wrong ? fmt::format("  {}", kMark) : std::string();
    int status = 200;
    const std::string code = code_of(index, data.cpp, mark, status);
    const std::string selector = below(2) == 0 ? fmt::format("{}", status)
                                               : one_of({status < 300 ? "2xx" : "4xx", "default"});
    std::string responses =
        fmt::format("{{\"{}\", {}}}, {{\"410\", {{{{\"reason\", \"string\"}}}}}}", selector,
                    declared(data, is_wrong));
    // A selector that is less exact does not apply.
    if (selector != "default" && below(3) == 0) {
      responses += fmt::format(", {{\"default\", {}}}", declared(data, below(2) == 0));
    }
    return fmt::format("  app.{}(\"/r{}\", {{.responses = {{{}}}}},\n{});\n",
                       one_of({"get", "del"}), index, responses, code);
  }

  std::string flow(unsigned index) {
    const std::string path = fmt::format("/r{}", index);
    const std::string& type = objects_[below(objects_.size())].cpp;
    RandomFlow flow = random_flow(fmt::format("flow{}", index), type, "Other", random_);
    functions_ += flow.functions;
    std::string text = fmt::format(
        "  app.get(\"{}\", [](fw::Request&, fw::Response& res) {{\n{}  }});\n", path, flow.body);
    result_.flows.emplace(path, std::move(flow));
    return text;
  }

  std::string code_of(unsigned index, const std::string& type, const std::string& mark,
                      int& status) {
    if (below(2) == 0) return statements_of(index, type, mark, status);
    switch (below(12)) {
      case 0:
        return fmt::format("    []\n      -> {0}{1}\n    {{ return {0}(); }}", type, mark);
      case 1:
        status = 201;
        return fmt::format(
            "    [](fw::Request&)\n      -> fw::Created<{0}>{1}\n    {{ return {0}(); }}", type,
            mark);
      case 2:
        status = 409;
        return fmt::format("    []\n      -> fw::Status<409, {0}>{1}\n    {{ return {0}(); }}",
                           type, mark);
      case 3:
        return fmt::format(
            "    [](fw::Request& req)\n      -> std::variant<{0}, fw::Status<410, Other>, "
            "fw::NoContent>{1}\n"
            "    {{ if (req.has_body()) return fw::NoContent(); return {0}(); }}",
            type, mark);
      case 4:
        return fmt::format(
            "    [](fw::Request&, fw::Response& res) {{\n      res.json({}());{}\n    }}", type,
            mark);
      case 5:
        status = 404;
        return fmt::format(
            "    [](fw::Request& req, fw::Response& res) {{\n"
            "      const {} data{{}};\n"
            "      if (req.has_body()) return res.json(Other{{}}, 410);\n"
            "      res.json(data, 404);{}\n    }}",
            type, mark);
      case 6:
        status = 202;
        return fmt::format(
            "    [](fw::Request&, fw::Response& res) {{\n"
            "      auto data = {}();\n      res.status(202).set_header(\"a\", "
            "\"b\").json(data);{}\n    }}",
            type, mark);
      case 7:
        status = 203;
        return fmt::format(
            "    [](fw::Request&, fw::Response& res) {{\n      res.status(203);\n"
            "      res.json({}());{}\n    }}",
            type, mark);
      case 8:
        return fmt::format(
            "    [](fw::Request&, fw::Response& res) {{\n      const auto send = [&] {{\n"
            "        res.json({}());{}\n      }};\n      send();\n    }}",
            type, mark);
      case 9:
        functions_ +=
            fmt::format("fw::Accepted<{0}>{1}\nhandle{2}(fw::Request&) {{ return {0}(); }}\n", type,
                        mark, index);
        status = 202;
        return fmt::format("    handle{}", index);
      case 10:
        functions_ += fmt::format(
            "struct Handler{2} {{\n  {0}{1}\n  operator()(fw::Request&) const {{ return {{}}; "
            "}}\n}};\n",
            type, mark, index);
        return fmt::format("    Handler{}()", index);
      default:
        // A deduced type is where the handler is.
        return fmt::format("    [] {{ return {}(); }}{}\n", type, mark);
    }
  }

  /// A handler with branches, loops or helpers. The other responses that it sends are right.
  std::string statements_of(unsigned index, const std::string& type, const std::string& mark,
                            int& status) {
    constexpr std::string_view kHandler = "    [](fw::Request&, fw::Response& res) {{\n{}    }}";
    const auto body = [&](std::string_view text) {
      return fmt::format(fmt::runtime(kHandler),
                         fmt::format(fmt::runtime(text), fmt::arg("type", type),
                                     fmt::arg("mark", mark), fmt::arg("index", index)));
    };
    const auto declare = [&](std::string_view text) {
      functions_ += fmt::format(fmt::runtime(text), fmt::arg("type", type), fmt::arg("mark", mark),
                                fmt::arg("index", index));
    };
    switch (below(18)) {
      case 0:
        return body(R"(      auto data = {type}();
      if (flag()) {{
        data = {type}();
      }} else if (count() > 1) {{
        fail();
      }} else {{
        count();
      }}
      res.json(data);{mark}
)");
      case 1:
        return body(R"(      switch (kind()) {{
        case kKind0:
          return res.json({type}());{mark}
        case kKind1:
          return res.json(Other{{}}, 410);
      }}
)");
      case 2:
        status = 404;
        return body(R"(      const auto one = {type}();
      const auto other = {type}();
      res.json(flag() ? one : other, 404);{mark}
)");
      case 3:
        status = 404;
        return body(R"(      flag()
          ? res.json({type}(), 404){mark}
          : res.json(Other{{}}, 410);
)");
      case 4:
        status = 409;
        return body(R"(      try {{
        if (flag()) fail();
        return res.json(Other{{}}, 410);
      }} catch (...) {{
        res.json({type}(), 409);{mark}
      }}
)");
      case 5:
        status = 404;
        return body(R"(      const auto send = [&](const auto& data, int status) {{
        res.json(data, status);{mark}
      }};
      if (flag()) return send(Other{{}}, 410);
      send({type}(), 404);
)");
      case 6:
        status = 201;
        declare(R"(template <class T>
void reply{index}(fw::Response& res, const T& data, int status) {{
  if (flag()) fail();
  res.json(data, status);{mark}
}}
)");
        return body(R"(      if (flag()) return reply{index}(res, Other{{}}, 410);
      reply{index}(res, {type}(), 201);
)");
      case 7:
        return body(
            R"(      const auto found = flag() ? std::optional<{type}>({type}()) : std::nullopt;
      if (!found) return res.json(Other{{}}, 410);
      res.json(*found);{mark}
)");
      case 8:
        return body(R"(      const std::vector<{type}> all{{}};
      for (const auto& each : all) {{
        if (count() == 0) continue;
        if (flag()) return res.json(each);{mark}
      }}
      res.json(Other{{}}, 410);
)");
      case 9:
        status = 202;
        return body(R"(      res.status(410);
      while (true) {{
        if (count() == 0) return res.json(Other{{}});
        if (flag()) break;
      }}
      res.json({type}(), 202);{mark}
)");
      case 10:
        return body(R"(      const std::variant<{type}, Other> either{{}};
      std::visit(
          [&](const auto& data) {{
            if constexpr (std::is_same_v<std::decay_t<decltype(data)>, Other>) {{
              res.json(data, 410);
            }} else {{
              res.json(data);{mark}
            }}
          }},
          either);
)");
      case 11:
        return body(R"(      if constexpr (!kOn) {{
        res.json(Other{{}});
      }} else {{
        res.json({type}());{mark}
      }}
)");
      case 12:
        return body(R"(      if (flag() && !kOn) return res.text("");
      if (!kOn) return res.json(Other{{}});
      kOn ? res.json({type}()){mark}
          : res.json(Other{{}});
)");
      case 13:
        return body(R"(      const auto [number, data] = std::pair(1, {type}());
      if (number == count()) return res.json(Other{{}}, 410);
      res.json(data);{mark}
)");
      case 14:
        status = 404;
        declare(R"(struct Responder{index} {{
  fw::Response& res;
  void send(const {type}& data) const {{
    res.json(data, 404);{mark}
  }}
  void gone() const {{ res.json(Other{{}}, 410); }}
}};
)");
        return body(R"(      const Responder{index} responder{{res}};
      flag() ? responder.gone() : responder.send({type}());
)");
      case 15:
        declare(R"(auto make{index}() {{
  if (flag()) return {type}();
  fail();
  return {type}();
}}
)");
        return body(R"(      res.json(make{index}());{mark}
)");
      case 16:
        declare(R"(bool allows{index}(fw::Response& res) {{
  if (flag()) return true;
  res.json(Other{{}}, 410);
  return false;
}}
)");
        return body(R"(      if (!allows{index}(res)) return;
      res.json({type}());{mark}
)");
      default:
        status = 203;
        return body(R"(      if (count() == 1) return res.json(Other{{}}, 410);
      const auto data = [] {{
        if (flag()) return {type}();
        return {type}();
      }}();
      if (flag()) {{
        if (count() == 2) {{
          res.status(203);
        }} else {{
          return res.status(410).json(Other{{}});
        }}
      }} else {{
        res.status(203);
      }}
      res.json(data);{mark}
)");
    }
  }

  std::mt19937_64& random_;
  RandomHandlers result_;
  std::vector<Shape> enumerations_;
  std::vector<Shape> objects_;
  std::string declarations_;
  std::string functions_;
};

}  // namespace

RandomHandlers random_handlers(unsigned count, std::mt19937_64& random) {
  return Writer(random).write(count);
}

}  // namespace fairway::fuzz
