// What the shop writes about products of the orders sample; `id` is the id there. It changes with a
// release only, so that the pages of these products are static. Prices come from the API.
#pragma once

#include <fairway/fairway.hpp>

namespace shop {

inline const fw::Json kProducts = fw::Json::array(
    {{{"id", "1"},
      {"name", "The Compiler Book"},
      {"category", "books"},
      {"text",
       "From source text to machine code in 480 pages, with an exercise at the end of each chapter "
       "and the solutions at the end of the book."}},
     {{"id", "2"},
      {"name", "Wooden Chess Set"},
      {"category", "games"},
      {"text",
       "Weighted pieces of maple and walnut on a board that folds. There is a second queen for "
       "each side."}},
     {{"id", "3"},
      {"name", "Pocket Screwdriver"},
      {"category", "tools"},
      {"text",
       "Six bits in a steel handle that is as long as a pen. It opens the case, and finds the "
       "screw that fell into it."}}});

}  // namespace shop
