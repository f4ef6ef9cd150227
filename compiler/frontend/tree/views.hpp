// Types whose values refer to objects, and what the standard library returns views of.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <vector>

namespace fairway::frontend {

/// Whether a copy of a value refers to what the value refers to: pointers, and classes without a
/// destructor that contain one, such as std::string_view and iterators. What owns an object has a
/// destructor. Closures and functions are checked by what they capture.
bool is_view(clang::QualType type);

/// A pointer, a std::string_view, a std::span, or an iterator of the standard library: what is made
/// of one of them refers to the same object.
bool is_plain_view(clang::QualType type);

/// Whether a value of such a type, made of a container, a string or an array, is a view of it.
bool is_made_of_ranges(clang::QualType type);
/// A container, a string or an array, without other owners of its content.
bool is_owner(clang::QualType type);

/// The object whose content a member function of the standard library returns a view of, or a
/// reference to: `text.c_str()`, `text[0]`, the conversion of a std::string to a std::string_view.
/// Of `iterator->data()`, the object is the iterator. Null for other functions.
const clang::Expr* viewed_object(const clang::CallExpr& call);

/// The types of the elements that a std::pair, std::tuple or std::optional stores copies of; empty
/// for other types.
std::vector<clang::QualType> stored_elements(clang::QualType type);

}  // namespace fairway::frontend
