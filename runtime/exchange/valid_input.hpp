// The validated input of a request, by location: as the struct that was decoded from its bytes, as
// a JSON tree, or both.
#pragma once

#include <fairway/errors.hpp>
#include <fairway/generated/typed.hpp>
#include <fairway/json.hpp>
#include <fairway/location.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <typeinfo>

namespace fw::detail {

class Exchange;

/// The C++ value of a valid tree; null, with an error in `result`, if the type cannot have it: the
/// schema does not say which numbers a float can have, or which years a time.
std::unique_ptr<TypedValue> read_tree(const TypeRow& row, Location location,
                                      ValidationResult& result);

/// Makes the tree of a location that was accepted as a struct. It is the one that the request would
/// have had without the struct.
class TreeSource {
 public:
  virtual ~TreeSource() = default;
  virtual Json make_tree(Exchange& exchange, Location location) const = 0;
};

/// Part of its exchange.
class ValidInput {
 public:
  ValidInput() = default;
  ~ValidInput();
  ValidInput(const ValidInput&) = delete;
  ValidInput& operator=(const ValidInput&) = delete;

  /// A struct that was decoded, and so is valid; it is not visible until it is accepted.
  void set_candidate(std::unique_ptr<TypedValue> value);
  /// For input that was replaced before it was validated.
  void forget_decoded(Location location);
  bool is_decoded(Location location) const { return is_set(decoded_, location); }

  /// Accepts the struct of a location. `source`, which must outlive the request, builds the tree
  /// when it is needed.
  void accept_candidate(Location location, const TreeSource& source);
  /// Accepts a location that was validated as a tree.
  void accept_tree(Location location, Json tree);

  /// Null for a location that has not been accepted.
  const Json& tree(Exchange& exchange, Location location);
  /// The struct of that type; null if there is none yet.
  const TypedValue* find(const std::type_info& type) const;
  /// The same for one location.
  const TypedValue* find(const std::type_info& type, Location location) const;
  /// Keeps a struct that was built from a tree. The reference is valid as long as the request.
  const TypedValue& keep(std::unique_ptr<TypedValue> value);

 private:
  using Trees = std::array<Json, 5>;

  static bool is_set(std::uint8_t locations, Location location) {
    return (locations & bit(location)) != 0;
  }
  static std::uint8_t bit(Location location) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(location));
  }
  Json& tree_of(Location location);
  /// Marks all structs of a location except `current` as outdated, so that `find` ignores them.
  void accept(Location location, const TypedValue* current);

  std::unique_ptr<TypedValue> values_;  ///< a linked list that begins with the decoded structs
  std::unique_ptr<Trees> trees_;        ///< null until there is one
  const TreeSource* source_ = nullptr;
  // Sets of locations.
  std::uint8_t decoded_ = 0;
  std::uint8_t accepted_ = 0;
  std::uint8_t has_tree_ = 0;
};

}  // namespace fw::detail
