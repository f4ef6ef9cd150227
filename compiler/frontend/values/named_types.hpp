// The types that options name: `fw::type<Order>`.
#pragma once

#include <clang/AST/Type.h>
#include <clang/AST/TypeLoc.h>

#include <optional>

#include "model/cpp_type.hpp"
#include "model/range.hpp"

namespace fairway::frontend {

/// Reads them as schemas. Static values know no more of types.
class NamedTypes {
 public:
  virtual ~NamedTypes() = default;

  /// The type as a schema. Empty if it has none; then the reason is reported, at the member that
  /// is the cause, with a note at `use`. `written` is the type in the source, if there is one.
  virtual std::optional<model::TypeUse> read(clang::QualType type, clang::TypeLoc written,
                                             const model::Range& use) = 0;
  /// Keeps a type that options name, for the generated code.
  virtual void keep(const model::TypeUse& use) = 0;
};

}  // namespace fairway::frontend
