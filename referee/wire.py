"""Domain values to protobuf and back: the only module that knows both.

What a seat is told is filled into messages field by field along `shapes`; what may be told was decided
before, in each game's ``view.py``. Updates are encoded one by one and joined into frames as bytes, so that
the size of a frame is known while it is filled.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from google.protobuf.message import DecodeError

from fairdeal.v1 import actions_pb2, games_pb2, play_service_pb2
from referee.cards import Card, Seat
from referee.clock import ClockSettings
from referee.games import events
from referee.games.actions import (
    Action,
    Bid,
    ChooseCards,
    Draft,
    DraftChoice,
    Legal,
    LegalActions,
    Moon,
    MoonChoice,
    PlayCard,
)
from referee.games.base import Game
from referee.games.hearts.rules import MoonChosen
from referee.games.hearts.view import DealStarted, HeartsView, PassReceived
from referee.games.options import Option, OptionValue
from referee.games.two_handed_spades.view import CardDrafted, DraftStarted, TwoHandedSpadesView
from referee.shapes import Kind, Shape, fields_of
from referee.updates import (
    Answer,
    Closed,
    Decision,
    Finished,
    Given,
    Happened,
    Hello,
    Index,
    Malformed,
    Notice,
    Refused,
    Request,
    Seated,
    Update,
    Welcome,
)

EVENTS: Final[Mapping[type, str]] = {
    events.CardPlayed: "card_played",
    events.TrickTaken: "trick_taken",
    events.DealScored: "deal_scored",
    events.BidMade: "bid_made",
    DealStarted: "hearts_deal_started",
    PassReceived: "pass_received",
    MoonChosen: "moon_chosen",
    DraftStarted: "draft_started",
    CardDrafted: "card_drafted",
}
VIEWS: Final[Mapping[type, str]] = {
    HeartsView: "hearts",
    TwoHandedSpadesView: "two_handed_spades",
}
# those that need more than their fields have fillers of their own below
_UPDATES: Final[Mapping[type, str]] = {
    Welcome: "welcome",
    Closed: "closed",
    Refused: "refused",
    Finished: "finished",
    Notice: "notice",
}


MAX_NAME: Final = 200
"""The most characters in a name that a bot gives (entry, match, game...): names come back in frames."""


class WireError(ValueError):
    """Bytes that are no frame of the protocol; the text holds nothing of them."""


# From the referee


def encode(update: Update) -> bytes:
    """Return one update as bytes of ``fairdeal.v1.Update``."""
    message = play_service_pb2.Update()
    if isinstance(update, Decision):
        _fill_decision(message.decision, update)
    elif isinstance(update, Happened):
        message.happened.match_id = update.match_id
        event = message.happened.event
        event.sequence = update.sequence
        fill(_member(event, EVENTS[type(update.event)]), update.event)
    elif isinstance(update, Seated):
        _fill_seated(message.seated, update)
    else:
        fill(_member(message, _UPDATES[type(update)]), update)
    return message.SerializeToString()


def frame(updates: Iterable[bytes]) -> bytes:
    """Return a ``fairdeal.v1.PlayResponse`` that holds updates as `encode` gave them."""
    # a message with one repeated field is its items, each behind the field's tag and its own length
    return b"".join(b"\x0a" + _varint(len(update)) + update for update in updates)


def _varint(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _member(message: Any, name: str) -> Any:
    """Return the message in a oneof's member, set even when none of its fields will be."""
    member = getattr(message, name)
    member.SetInParent()
    return member


def _fill_decision(message: Any, decision: Decision) -> None:
    message.match_id = decision.match_id
    message.decision_id = decision.decision_id
    message.sequence = decision.sequence
    _fill_duration(message.move_time, decision.move_time)
    _fill_duration(message.bank, decision.bank)
    _fill_legal(message.legal, decision.legal)
    fill(_member(message.view, VIEWS[type(decision.view)]), decision.view)


def _fill_legal(message: Any, legal: Legal) -> None:
    if isinstance(legal, LegalActions):
        add = message.actions.actions.add
        for action in legal.actions:
            fill_action(add(), action)
    else:
        fill(message.choose_cards, legal)


def fill_action(message: Any, action: Action) -> None:
    """Fill a ``fairdeal.v1.Action``."""
    if isinstance(action, PlayCard):
        message.play_card = action.card + 1
    elif isinstance(action, Bid):
        message.bid = action.tricks
    elif isinstance(action, Draft):
        message.draft = action.choice
    elif isinstance(action, Moon):
        message.moon = action.choice
    else:
        fill(_member(message, "choose_cards"), action)


def _fill_seated(message: Any, seated: Seated) -> None:
    message.match_id = seated.match_id
    message.attempt = seated.attempt
    message.game = seated.game
    message.rules_version = seated.rules_version
    for name in sorted(seated.options):
        _fill_option(message.options.add(), name, seated.options[name])
    message.deals = seated.deals
    message.seat = seated.seat + 1
    message.entries.extend(seated.entries)
    fill(message.commitment, seated.commitment)
    _fill_clock(message.clock, seated.clock)
    message.max_faults = seated.max_faults


def _fill_clock(message: Any, clock: ClockSettings) -> None:
    for name in ("move", "bank", "increment", "lag", "lag_cap", "start"):
        _fill_duration(getattr(message, name), getattr(clock, name))


def _fill_option(message: Any, name: str, value: OptionValue) -> None:
    message.name = name
    if isinstance(value, bool):
        message.flag = value
    elif isinstance(value, int):
        message.number = value
    else:
        message.word = value


def _fill_duration(message: Any, micros: int) -> None:
    seconds, rest = divmod(micros, 1_000_000)
    message.seconds = seconds
    message.nanos = rest * 1_000


def fill_game(message: games_pb2.Game, game: Game[Any]) -> None:
    """Fill the description of a game."""
    message.name = game.name
    message.title = game.title
    message.summary = game.summary
    for side in game.sides:
        fill(message.sides.add(), _Side(side))
    message.low_wins = game.low_wins
    for option in game.options:
        _fill_option_schema(message.options.add(), option)
    for name, default in game.phases.items():
        message.decisions.add(name=name, default_action=default)
    message.rules_version = game.rules_version


@dataclass(frozen=True, slots=True)
class _Side:
    seats: tuple[Seat, ...]


def _fill_option_schema(message: Any, option: Option) -> None:
    _fill_option(message.default_value, option.name, option.default)
    message.help = option.help
    if option.minimum is not None and option.maximum is not None:
        message.minimum = option.minimum
        message.maximum = option.maximum
    message.choices.extend(option.choices)


# Field by field


def fill(message: Any, value: Any) -> None:
    """Fill a message from the dataclass with the same fields; absent ones are left unset."""
    struct: type = type(value)
    for name, put in _putters(struct):
        if (field := getattr(value, name)) is not None:
            put(message, field)


@cache
def _putters(struct: type) -> tuple[tuple[str, Callable[[Any, Any], None]], ...]:
    return tuple((name, _putter(name, shape)) for name, shape in fields_of(struct))


# the kinds that count from zero in the domain, where the wire keeps zero for "unspecified"
_FROM_ZERO: Final = (Kind.CARD, Kind.SEAT, Kind.RANKED)


def _putter(name: str, shape: Shape) -> Callable[[Any, Any], None]:
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        return _list_putter(name, shape.item)
    if shape.kind is Kind.STRUCT:
        return lambda message, value: fill(_member(message, name), value)
    if shape.kind is Kind.MICROS:
        return lambda message, value: _fill_duration(getattr(message, name), value)
    if shape.kind in _FROM_ZERO:
        return lambda message, value: setattr(message, name, value + 1)
    return lambda message, value: setattr(message, name, value)


def _list_putter(name: str, item: Shape) -> Callable[[Any, Any], None]:
    if item.kind is Kind.STRUCT:

        def put_structs(message: Any, values: Any) -> None:
            add = getattr(message, name).add
            for value in values:
                fill(add(), value)

        return put_structs
    if item.kind in _FROM_ZERO:
        return lambda message, values: getattr(message, name).extend([value + 1 for value in values])
    return lambda message, values: getattr(message, name).extend(values)


# From bots


def decode(data: bytes) -> Request:
    """Return the request in a frame.

    Raises:
        WireError: the bytes are no ``fairdeal.v1.PlayRequest``, or a name in it is too long.
    """
    try:
        message = play_service_pb2.PlayRequest.FromString(data)
    except DecodeError:
        raise WireError("the frame is no PlayRequest") from None
    return Request(
        frames_received=message.frames_received,
        hello=_hello(message.hello) if message.HasField("hello") else None,
        ready=tuple(_name(ready.match_id) for ready in message.ready),
        declines=tuple(_name(decline.match_id) for decline in message.declines),
        answers=tuple(
            Answer(_name(answer.match_id), answer.decision_id, _given(answer)) for answer in message.answers
        ),
        bye=message.HasField("bye"),
    )


def _hello(message: play_service_pb2.Hello) -> Hello:
    return Hello(
        versions=tuple(message.versions),
        entry=_name(message.entry),
        instance=_name(message.instance),
        games=tuple(map(_name, message.games)),
        tables=message.tables or 1,
        matches=message.matches,
        events=message.events,
        resume={_name(point.match_id): point.sequence for point in message.resume},
        agent=_name(message.agent),
    )


def _name(text: str) -> str:
    if len(text) > MAX_NAME:
        raise WireError(f"a name in the frame is longer than {MAX_NAME} characters")
    return text


def _given(answer: play_service_pb2.Answer) -> Given:
    kind = answer.WhichOneof("answer")
    if kind == "index":
        return Index(answer.index)
    if kind == "action":
        return action_of(answer.action)
    return Malformed("the answer holds neither an action nor an index")


def action_of(message: actions_pb2.Action) -> Action | Malformed:
    """Return the action in a message, or what is wrong with it."""
    kind = message.WhichOneof("kind")
    if kind == "play_card":
        return _with_cards((message.play_card,), lambda cards: PlayCard(cards[0]))
    if kind == "bid":
        return Bid(message.bid)
    if kind == "draft":
        return _with_choice(DraftChoice, message.draft, Draft)
    if kind == "moon":
        return _with_choice(MoonChoice, message.moon, Moon)
    if kind == "choose_cards":
        return _with_cards(message.choose_cards.cards, lambda cards: ChooseCards(tuple(sorted(cards))))
    if kind is None:
        return Malformed("the action is of no kind that this referee knows")
    return Malformed(f"{kind} is an action of no game that this referee plays")


def _with_cards(numbers: Iterable[int], make: Callable[[tuple[Card, ...]], Action]) -> Action | Malformed:
    cards = tuple(Card(number - 1) for number in numbers)
    if wrong := [c for c in cards if not 0 <= c < 52]:
        return Malformed(f"card number {wrong[0] + 1} is no card")
    return make(cards)


def _with_choice(choices: Any, number: int, make: Callable[[Any], Action]) -> Action | Malformed:
    try:
        return make(choices(number))
    except ValueError:
        return Malformed(f"{choices.__name__} number {number} is no choice")
