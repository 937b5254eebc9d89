// What a card is made of.
#pragma once

#include "fairdeal/v1/cards.pb.h"

namespace fairdeal {

/// Return the rank of a card; cards are numbered by suit, from two to ace.
constexpr v1::Rank rank_of(v1::Card card) {
  return card ? static_cast<v1::Rank>((card - 1) % 13 + 1) : v1::RANK_UNSPECIFIED;
}

/// Return the suit of a card.
constexpr v1::Suit suit_of(v1::Card card) {
  return card ? static_cast<v1::Suit>((card - 1) / 13 + 1) : v1::SUIT_UNSPECIFIED;
}

}  // namespace fairdeal
