// What the shop sells. It changes with a release only, so that the pages of the products are
// static.
#pragma once

#include <fairway/fairway.hpp>

namespace shop {

inline const fw::Json kProducts = fw::Json::array(
    {{{"id", "lamp"},
      {"name", "Desk lamp"},
      {"cents", 4900},
      {"price", "49.00 €"},
      {"text",
       "A lamp with a warm light, a switch that clicks, and an arm that stays where it is."}},
     {{"id", "mug"},
      {"name", "Stoneware mug"},
      {"cents", 1450},
      {"price", "14.50 €"},
      {"text", "Holds a third of a litre, and keeps it warm while you read one more page."}},
     {{"id", "notebook"},
      {"name", "Notebook"},
      {"cents", 1200},
      {"price", "12.00 €"},
      {"text", "192 pages of dotted paper that lie flat, in a cover of grey cloth."}},
     {{"id", "clock"},
      {"name", "Wall clock"},
      {"cents", 6400},
      {"price", "64.00 €"},
      {"text", "Silent hands on a plain face. You will hear nothing of the hours that pass."}}});

}  // namespace shop
