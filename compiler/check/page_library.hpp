// The templates of pages/, parsed, with their locations.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/application.hpp"
#include "templates/program.hpp"

namespace fairway::check {

class PageLibrary {
 public:
  /// Appends the errors of syntax. `application` must outlive the library.
  PageLibrary(const model::Application& application, std::vector<fw::templates::Error>& errors);

  const fw::templates::Library& templates() const { return library_; }
  /// The source range of a part of a template, which must be one of the application's.
  model::Range range_of(const std::string& name, const fw::templates::Span& span) const;

 private:
  fw::templates::Library library_;
  std::map<std::string, const model::PageFile*> files_;
};

}  // namespace fairway::check
