// The templates of pages/, parsed, with their locations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/application.hpp"
#include "templates/program.hpp"

namespace fairway::resolve {

/// The names of the pages that routes can render, sorted.
std::vector<std::string> page_names(const model::Application& application);

class PageLibrary {
 public:
  /// `application` must outlive the library.
  explicit PageLibrary(const model::Application& application);

  const fw::templates::Library& templates() const { return library_; }
  /// The errors of syntax, for which templates are not linked.
  const std::vector<fw::templates::Error>& errors() const { return errors_; }
  /// Whether a template has such an error.
  bool is_broken(const std::string& name) const;
  /// The source range of a part of a template, which must be one of the application's.
  model::Range range_of(const std::string& name, const fw::templates::Span& span) const;

 private:
  fw::templates::Library library_;
  std::vector<fw::templates::Error> errors_;
  std::map<std::string, const model::PageFile*> files_;
};

}  // namespace fairway::resolve
