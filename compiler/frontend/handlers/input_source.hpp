// The parts of a request that a handler reads.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/source/file_context.hpp"
#include "frontend/tree/type_queries.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// Collects reads with static names while the body of a handler is visited in source order.
class InputSources {
 public:
  /// `request` is null for a handler that does not take it.
  InputSources(FileContext& context, const clang::ParmVarDecl* request)
      : context_(context), request_(request) {}

  /// Declares a local variable; uses of a constant count as uses of its initialiser.
  void declare(const clang::VarDecl& variable);
  /// A node of the body, without its children.
  void see(const clang::Stmt& node);
  std::vector<model::InputRead> take_reads();
  std::vector<model::TypedRead> take_typed_reads() { return std::move(typed_reads_); }
  std::vector<model::RequestCall> take_calls() { return std::move(calls_); }

 private:
  /// The source of an expression: a whole location, or a member of the body.
  struct Source {
    std::string location;
    std::vector<std::string> path;  ///< empty for the whole location
    bool validated = false;
    bool is_json = false;  ///< otherwise a map of strings
  };

  bool is_request(const clang::Expr& object) const;
  std::optional<Source> source_of(const clang::Expr& expression);
  std::optional<Source> location_of(const MemberUse& use);
  std::optional<std::string> static_text(const clang::Expr& expression);
  /// `req.valid<T>(location)`.
  void add_typed(const clang::Stmt& node, const MemberUse& use);
  void add(const Source& source, const clang::Expr& key);

  FileContext& context_;
  const clang::ParmVarDecl* request_;
  std::map<const clang::ValueDecl*, Source> constants_;
  std::vector<model::InputRead> reads_;
  std::vector<model::TypedRead> typed_reads_;
  std::vector<model::RequestCall> calls_;
};

}  // namespace fairway::frontend
