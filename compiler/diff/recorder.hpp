// Collects the changes of one operation, or of one metric.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "diff/change.hpp"
#include "diff/document.hpp"

namespace fairway::diff {

/// The location of a change, as text.
struct Location {
  std::string part;  ///< "request body", "response 201"
  std::string path;  ///< "items[].price"

  std::string text() const { return path.empty() ? part : part + ": " + path; }
  Location member(std::string_view name) const;
  Location step(std::string_view suffix) const { return {part, path + std::string(suffix)}; }
};

class Recorder {
 public:
  Recorder(Changes& changes, std::string method, std::string path)
      : changes_(changes), method_(std::move(method)), path_(std::move(path)) {}

  static Recorder of_metric(Changes& changes, std::string metric) {
    Recorder recorder(changes, "", "");
    recorder.metric_ = std::move(metric);
    return recorder;
  }

  /// `id` is the id of a row of the catalogue, which defines the level. For a removed element, the
  /// node is in the old document.
  void add(std::string_view id, const Location& location, const Node& before, const Node& after,
           std::string message);
  /// The changes after the first `count`.
  std::span<const Change> since(std::size_t count) const {
    return std::span<const Change>(changes_).subspan(count);
  }
  std::size_t count() const { return changes_.size(); }
  /// A recorder for the same operation that appends to `changes`.
  Recorder into(Changes& changes) const {
    Recorder other(changes, method_, path_);
    other.metric_ = metric_;
    return other;
  }

 private:
  Changes& changes_;
  std::string method_;
  std::string path_;
  std::string metric_ = {};  ///< of a list of metrics, instead of an operation
};

}  // namespace fairway::diff
