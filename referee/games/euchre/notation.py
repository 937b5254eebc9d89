"""Records of euchre as Euchre Game Notation 1.6, a JSON format in which other programs show and study games.

https://github.com/NextSuit-Labs/euchre-game-notation describes it. It tells what was dealt, called and
played; its readers work out tricks and points themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from referee.games.transcript import NotWritable, RecordLine


def notation(header: RecordLine, lines: Sequence[RecordLine]) -> dict[str, Any]:
    """Return a record as Euchre Game Notation: the header of the record, and the lines after it.

    A match that was not played to its end has the deals that there are, and no final score.

    Raises:
        NotWritable: somebody other than the maker played alone, which is counted differently there.
        KeyError, TypeError, ValueError: the lines are none of a record of euchre.
    """
    deals: list[dict[str, Any]] = []
    outcome: RecordLine = {}
    for line in lines:
        match line["type"]:
            case "dealt":
                deals.append(_deal(len(deals), line))
            case "outcome":
                outcome = line
            case kind if kind in _TELLS:
                _TELLS[kind](deals[-1], line)
    metadata = {
        "gameId": header["match_id"],
        "description": f"attempt {header['attempt']} at this match, played by {header['software']}",
        "date": header["started"],
        "players": list(header["entries"]),
        "initialScore": [0, 0],
    }
    if outcome.get("termination") == "completed":
        metadata["finalScore"] = list(outcome["scores"])
    metadata["ruleset"] = _ruleset(header["options"], header["deals"])
    told = {"fileType": "Euchre Game Notation", "version": "1.6", "metadata": metadata}
    return {**told, "deals": [_whole(deal) for deal in deals]}


def _ruleset(options: Mapping[str, Any], deals: int | None) -> dict[str, Any]:
    end = {"winning_score": options["target"]} if deals is None else {"num_deals": deals}
    return {"std": options["stick_the_dealer"], **end, "loner_lead": "LEFT_OF_DEALER"}


def _deal(number: int, line: RecordLine) -> dict[str, Any]:
    state = {
        "dealer": line["dealer"],
        "upCard": _card(line["upcard"]),
        "playerCards": [_cards(hand) for hand in line["hands"]],
    }
    bidding: dict[str, Any] = {"type": "EUCHRE_BIDDING", "calls": [], "isAlone": False}
    return {
        "dealNumber": number,
        "initialState": state,
        "phases": [bidding, {"type": "TRICK_PLAY", "tricks": [[]]}],
    }


def _whole(deal: dict[str, Any]) -> dict[str, Any]:
    """Return a deal without what only its making needed, and without tricks where none were played."""
    bidding, play = deal["phases"]
    bidding.pop("maker", None)
    play["tricks"] = [trick for trick in play["tricks"] if trick]
    return {**deal, "phases": [bidding, play] if play["tricks"] else [bidding]}


def _called(deal: dict[str, Any], line: RecordLine) -> None:
    call, bidding = line["call"], deal["phases"][0]
    word = {"pass": "Pass", "accept": "Order"}.get(call) or call[0]
    bidding["calls"].append(word)
    if word != "Pass":
        bidding["maker"] = line["seat"]


def _picked_up(deal: dict[str, Any], line: RecordLine) -> None:
    deal["phases"][0]["discard"] = _card(line["discarded"])


def _alone(deal: dict[str, Any], line: RecordLine) -> None:
    bidding = deal["phases"][0]
    if line["choice"] != "alone":
        return
    if line["seat"] != bidding["maker"]:
        who = f"seat {line['seat']}, which did not make trump,"
        raise NotWritable(
            f"deal {deal['dealNumber'] + 1}: {who} plays alone: the notation counts that otherwise"
        )
    bidding["isAlone"] = True


def _played(deal: dict[str, Any], line: RecordLine) -> None:
    deal["phases"][1]["tricks"][-1].append(_card(line["card"]))


def _taken(deal: dict[str, Any], _line: RecordLine) -> None:
    deal["phases"][1]["tricks"].append([])


_TELLS: Final = {
    "upcard_called": _called,
    "trump_called": _called,
    "picked_up": _picked_up,
    "alone_chosen": _alone,
    "card_played": _played,
    "trick_taken": _taken,
}


def _cards(cards: Iterable[str]) -> list[str]:
    return [_card(card) for card in cards]


def _card(card: str) -> str:
    return card[0] + card[1].lower()
