#include "random_flow.hpp"

#include <fmt/format.h>

#include <compare>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace fairway::fuzz {
namespace {

constexpr int kMaxDepth = 3;

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum class Kind {
    status,
    media_type,
    status_or_not,  ///< in an operand that is evaluated sometimes
    fail,           ///< a function that always throws
    send,           ///< with a status, unless it is 0
    leave,
    stop,  ///< `break`
    next,  ///< `continue`
    choice,
    ternary,   ///< a choice of two calls that send
    constant,  ///< a choice with a constant condition
    cases,
    enumerators,  ///< a `switch` with all of them
    object,       ///< its destructor sets the status
    while_loop,
    for_loop,
    do_loop,
    attempt,
    call
  };

  Kind kind = Kind::status;
  int status = 0;
  std::string media_type = {};
  bool is_data = true;
  std::size_t callee = 0;
  std::vector<Block> blocks = {};
  bool has_default = false;  ///< `cases`: the last block
  bool is_true = false;      ///< `constant`: the condition
};

/// A function or a lambda.
struct Function {
  enum class Kind { function, lambda, stored_lambda };
  Kind kind = Kind::lambda;
  std::string name = {};
  Block body = {};
};

/// What is set when the flow is at one place, and nothing has been sent.
struct State {
  int status = 200;
  std::string media_type = {};
  auto operator<=>(const State&) const = default;
};
using States = std::set<State>;

/// The states in which a statement ends, by how it ends.
struct Ends {
  States reached = {}, left = {}, stopped = {}, next = {}, thrown = {};
};

void add(States& to, const States& from) { to.insert(from.begin(), from.end()); }

/// Finds all responses: each statement is run with all states in which it is reached. An exception
/// may be thrown at each statement of a `try`; nothing else is caught.
class AllRuns {
 public:
  AllRuns(const std::vector<Function>& functions, const std::string& data, const std::string& other)
      : functions_(functions), data_(data), other_(other) {}

  SentBodies run(const Block& body) {
    run_block(body, {State()});
    return std::move(sent_);
  }

 private:
  using Kind = Statement::Kind;

  Ends run_block(const Block& block, States states) {
    Ends ends;
    for (const Statement& each : block) {
      if (attempts_ > 0) add(ends.thrown, states);
      states = keep_others(ends, run_statement(each, states));
    }
    ends.reached = std::move(states);
    return ends;
  }

  /// Adds all ends but the first one, which it returns.
  static States keep_others(Ends& to, Ends from) {
    add(to.left, from.left);
    add(to.stopped, from.stopped);
    add(to.next, from.next);
    add(to.thrown, from.thrown);
    return std::move(from.reached);
  }

  Ends run_statement(const Statement& statement, const States& states) {
    switch (statement.kind) {
      case Kind::status:
        return {.reached = with_status(states, statement.status)};
      case Kind::media_type: {
        Ends ends;
        for (State each : states) {
          each.media_type = statement.media_type == "application/json" ? "" : statement.media_type;
          ends.reached.insert(std::move(each));
        }
        return ends;
      }
      case Kind::status_or_not: {
        Ends ends{.reached = with_status(states, statement.status)};
        add(ends.reached, states);
        if (attempts_ > 0) ends.thrown = ends.reached;  // in the rest of the operand
        return ends;
      }
      case Kind::fail:
        return {.thrown = states};
      case Kind::send: {
        const States sent = statement.status == 0 ? states : with_status(states, statement.status);
        for (const State& each : sent) {
          sent_.emplace(each.status, statement.is_data ? data_ : other_, each.media_type);
        }
        return {.thrown = attempts_ > 0 ? sent : States()};
      }
      case Kind::leave:
        return {.left = states};
      case Kind::stop:
        return {.stopped = states};
      case Kind::next:
        return {.next = states};
      case Kind::constant:
        return run_block(statement.blocks[statement.is_true ? 0 : 1], states);
      case Kind::choice:
      case Kind::ternary: {
        Ends ends;
        for (const Block& block : statement.blocks) {
          add(ends.reached, keep_others(ends, run_block(block, states)));
        }
        if (statement.blocks.size() < 2) add(ends.reached, states);
        return ends;
      }
      case Kind::cases:
      case Kind::enumerators:
        return run_cases(statement, states);
      case Kind::object: {
        Ends ends = run_block(statement.blocks[0], states);
        for (States* each : {&ends.reached, &ends.left, &ends.stopped, &ends.next, &ends.thrown}) {
          *each = with_status(*each, statement.status);
        }
        return ends;
      }
      case Kind::while_loop:
      case Kind::for_loop:
      case Kind::do_loop:
        return run_loop(statement, states);
      case Kind::attempt: {
        ++attempts_;
        Ends ends = run_block(statement.blocks[0], states);
        --attempts_;
        const States caught = std::exchange(ends.thrown, {});
        add(ends.reached, keep_others(ends, run_block(statement.blocks[1], caught)));
        return ends;
      }
      case Kind::call: {
        Ends inside = run_block(functions_[statement.callee].body, states);
        add(inside.reached, inside.left);
        return {.reached = std::move(inside.reached), .thrown = std::move(inside.thrown)};
      }
    }
    return {};
  }

  Ends run_cases(const Statement& statement, const States& states) {
    Ends ends;
    States before;
    for (const Block& block : statement.blocks) {
      add(before, states);
      before = keep_others(ends, run_block(block, before));
    }
    ends.reached = std::move(before);
    const bool is_complete = statement.has_default || statement.kind == Kind::enumerators;
    if (!is_complete) add(ends.reached, states);
    add(ends.reached, std::exchange(ends.stopped, {}));
    return ends;
  }

  /// With any number of rounds.
  Ends run_loop(const Statement& statement, const States& states) {
    Ends ends;
    if (statement.kind != Kind::do_loop) ends.reached = states;
    States begun = states;
    for (std::size_t known = 0; known != begun.size();) {
      known = begun.size();
      States after = keep_others(ends, run_block(statement.blocks[0], begun));
      add(after, std::exchange(ends.next, {}));
      if (attempts_ > 0) add(ends.thrown, after);  // in the condition
      add(ends.reached, after);
      add(begun, after);
    }
    add(ends.reached, std::exchange(ends.stopped, {}));
    return ends;
  }

  static States with_status(const States& states, int status) {
    States changed;
    for (State each : states) {
      each.status = status;
      changed.insert(std::move(each));
    }
    return changed;
  }

  const std::vector<Function>& functions_;
  const std::string& data_;
  const std::string& other_;
  int attempts_ = 0;
  SentBodies sent_;
};

class FlowWriter {
 public:
  FlowWriter(std::string name, std::string data, std::string other, std::mt19937_64& random)
      : name_(std::move(name)), data_(std::move(data)), other_(std::move(other)), random_(random) {}

  RandomFlow write() {
    RandomFlow flow;
    has_objects_ = below(4) == 0;
    flow.is_exact = !has_objects_;
    for (std::size_t i = 0, count = below(4); i < count; ++i) {
      Function function = random_function(i);
      const std::string body = text_of(function.body, "  ");
      if (function.kind == Function::Kind::function) {
        flow.functions += fmt::format("void {}(fw::Response& res) {{\n{}}}\n", function.name, body);
      } else {
        const bool is_stored = function.kind == Function::Kind::stored_lambda;
        flow.is_exact = flow.is_exact && !is_stored;
        flow.body += fmt::format("  {} {} = [&] {{\n{}  }};\n",
                                 is_stored ? "const std::function<void()>" : "const auto",
                                 function.name, body);
      }
      functions_.push_back(std::move(function));
    }
    has_lambdas_ = true;
    const Block body = random_block(kMaxDepth);
    flow.body += text_of(body, "  ");
    flow.sent = AllRuns(functions_, data_, other_).run(body);
    return flow;
  }

 private:
  using Kind = Statement::Kind;

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  int random_status() {
    constexpr int kStatuses[] = {200, 201, 202, 404, 409, 422};
    return kStatuses[below(std::size(kStatuses))];
  }

  Function random_function(std::size_t index) {
    Function function{.name = fmt::format("{}_{}", name_, index)};
    const std::size_t kind = below(8);
    if (kind < 3) function.kind = Function::Kind::function;
    if (kind == 3) function.kind = Function::Kind::stored_lambda;
    has_lambdas_ = function.kind != Function::Kind::function;
    function.body = random_block(kMaxDepth - 1);
    return function;
  }

  Block random_block(int depth) {
    Block block;
    for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) {
      block.push_back(random_statement(depth));
    }
    return block;
  }

  Statement random_statement(int depth) {
    if (below(5) == 0) return rare_statement(depth);
    const std::size_t kind = below(depth > 0 ? 18 : 8);
    if (kind < 3) return {.kind = Kind::status, .status = random_status()};
    if (kind < 6) {
      return {.kind = Kind::send,
              .status = below(3) == 0 ? random_status() : 0,
              .is_data = below(2) == 0};
    }
    if (kind == 6) return jump();
    if (kind == 7) return call();
    if (kind < 12) {
      Statement choice{.kind = Kind::choice, .blocks = {random_block(depth - 1)}};
      if (below(2) == 0) choice.blocks.push_back(random_block(depth - 1));
      return choice;
    }
    if (kind == 12) {
      return {.kind = Kind::attempt, .blocks = {random_block(depth - 1), random_block(depth - 1)}};
    }
    if (kind < 15) {
      return random_cases({.kind = Kind::cases, .has_default = below(2) == 0}, 1 + below(3), depth);
    }
    ++breakable_;
    ++loops_;
    constexpr Kind kLoops[] = {Kind::while_loop, Kind::for_loop, Kind::do_loop};
    Statement loop{.kind = kLoops[below(std::size(kLoops))], .blocks = {random_block(depth - 1)}};
    --breakable_;
    --loops_;
    return loop;
  }

  Statement random_cases(Statement cases, std::size_t count, int depth) {
    ++breakable_;
    for (std::size_t i = 0; i < count; ++i) {
      cases.blocks.push_back(random_block(depth - 1));
      if (below(3) != 0) cases.blocks.back().push_back({.kind = Kind::stop});
    }
    --breakable_;
    return cases;
  }

  Statement rare_statement(int depth) {
    constexpr const char* kMediaTypes[] = {"application/problem+json", "application/hal+json",
                                           "application/json"};
    if (below(4) == 0) return rare_choice(depth);
    const std::size_t kind = below(has_objects_ && depth > 0 ? 10 : 6);
    if (kind < 3) {
      return {.kind = Kind::media_type, .media_type = kMediaTypes[below(std::size(kMediaTypes))]};
    }
    if (kind < 5) return {.kind = Kind::status_or_not, .status = random_status()};
    if (kind == 5) return {.kind = Kind::fail};
    if (kind < 8) {
      return {.kind = Kind::object, .status = random_status(), .blocks = {random_block(depth - 1)}};
    }
    return random_cases({.kind = Kind::enumerators}, 2, depth);
  }

  Statement rare_choice(int depth) {
    if (depth > 0 && below(2) == 0) {
      return {.kind = Kind::constant,
              .status = random_status(),  // of either form
              .blocks = {random_block(depth - 1), random_block(depth - 1)},
              .is_true = below(2) == 0};
    }
    const auto send = [this] {
      return Block{{.kind = Kind::send, .status = random_status(), .is_data = below(2) == 0}};
    };
    return {.kind = Kind::ternary, .blocks = {send(), send()}};
  }

  Statement jump() {
    const std::size_t kind = below(3);
    if (kind == 0 && breakable_ > 0) return {.kind = Kind::stop};
    if (kind == 1 && loops_ > 0) return {.kind = Kind::next};
    return {.kind = Kind::leave};
  }

  /// A function cannot call the lambdas of a handler.
  Statement call() {
    std::vector<std::size_t> callees;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (has_lambdas_ || functions_[i].kind == Function::Kind::function) callees.push_back(i);
    }
    if (callees.empty()) return {.kind = Kind::status, .status = random_status()};
    return {.kind = Kind::call, .callee = callees[below(callees.size())]};
  }

  std::string text_of(const Block& block, const std::string& indent) const {
    std::string text;
    for (const Statement& each : block) text += indent + text_of_statement(each, indent) + '\n';
    return text;
  }

  std::string braced(const Block& block, const std::string& indent) const {
    return "{\n" + text_of(block, indent + "  ") + indent + "}";
  }

  std::string text_of_send(const Statement& statement) const {
    const std::string& type = statement.is_data ? data_ : other_;
    if (statement.status == 0) return fmt::format("res.json({}())", type);
    return statement.status % 2 == 0
               ? fmt::format("res.status({}).json({}())", statement.status, type)
               : fmt::format("res.json({}(), {})", type, statement.status);
  }

  std::string text_of_statement(const Statement& statement, const std::string& indent) const {
    const std::string first = statement.blocks.empty() ? "" : braced(statement.blocks[0], indent);
    switch (statement.kind) {
      case Kind::status:
        return fmt::format("res.status({});", statement.status);
      case Kind::media_type:
        return fmt::format("res.set_header(\"Content-Type\", \"{}\");", statement.media_type);
      case Kind::status_or_not:
        if (statement.status % 2 == 0) {
          return fmt::format("count() ?: (res.status({}), 1);", statement.status);
        }
        return fmt::format("{{ static const bool once = (res.status({}), true); (void)once; }}",
                           statement.status);
      case Kind::fail:
        return "fail();";
      case Kind::send:
        return text_of_send(statement) + ';';
      case Kind::leave:
        return "return;";
      case Kind::stop:
        return "break;";
      case Kind::next:
        return "continue;";
      case Kind::choice:
        return statement.blocks.size() == 1
                   ? "if (flag()) " + first
                   : "if (flag()) " + first + " else " + braced(statement.blocks[1], indent);
      case Kind::ternary:
        return fmt::format("flag() ? {} : {};", text_of_send(statement.blocks[0].front()),
                           text_of_send(statement.blocks[1].front()));
      case Kind::constant:
        return fmt::format("if {}({}) {} else {}", statement.status % 2 == 0 ? "constexpr " : "",
                           statement.is_true ? "kOn" : "!kOn", first,
                           braced(statement.blocks[1], indent));
      case Kind::cases:
      case Kind::enumerators: {
        const bool has_enumerators = statement.kind == Kind::enumerators;
        std::string text = has_enumerators ? "switch (kind()) {\n" : "switch (count()) {\n";
        for (std::size_t i = 0; i < statement.blocks.size(); ++i) {
          const bool is_default = statement.has_default && i + 1 == statement.blocks.size();
          const std::string label = fmt::format("case {}{}", has_enumerators ? "kKind" : "", i);
          text += fmt::format("{}  {}:\n{}", indent, is_default ? "default" : label,
                              text_of(statement.blocks[i], indent + "    "));
        }
        return text + indent + "}";
      }
      case Kind::object:
        return fmt::format("{{\n{0}  const AtTheEnd end{{[&] {{ res.status({1}); }}}};\n{2}{0}}}",
                           indent, statement.status, text_of(statement.blocks[0], indent + "  "));
      case Kind::while_loop:
        return "while (flag()) " + first;
      case Kind::for_loop:
        return "for (int i = 0; i < count(); ++i) " + first;
      case Kind::do_loop:
        return "do " + first + " while (flag());";
      case Kind::attempt:
        return "try " + first + " catch (...) " + braced(statement.blocks[1], indent);
      case Kind::call: {
        const Function& callee = functions_[statement.callee];
        return callee.name + (callee.kind == Function::Kind::function ? "(res);" : "();");
      }
    }
    return {};
  }

  std::string name_;
  std::string data_;
  std::string other_;
  std::mt19937_64& random_;
  std::vector<Function> functions_;
  bool has_lambdas_ = false;  ///< whether lambdas can be called
  bool has_objects_ = false;  ///< and `switch` with enumerators
  int breakable_ = 0;         ///< loops and `switch` around a statement
  int loops_ = 0;
};

}  // namespace

const char* const kFlowDeclarations = R"(enum Kind { kKind0, kKind1 };
struct AtTheEnd {
  std::function<void()> function;
  ~AtTheEnd() { function(); }
};
constexpr bool kOn = true;
bool flag();
int count();
Kind kind();
void fail() { throw 1; }
)";

RandomFlow random_flow(const std::string& name, const std::string& data, const std::string& other,
                       std::mt19937_64& random) {
  return FlowWriter(name, data, other, random).write();
}

}  // namespace fairway::fuzz
