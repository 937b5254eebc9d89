"""A match as frames: what every seat saw after each step, who was asked what, and what is told of it.

The rules are asked here, so that a page that shows frames knows none. A frame holds what has changed since
the frame before: ``public`` of what everybody knows, and by seat of what that seat knows besides; a value of
None means that there is nothing any more. All of it is plain data for JSON.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from referee.cards import CARD_NAMES, Card, Seat
from referee.codec.json import plain, tagged
from referee.core.steps import Steps, at_once
from referee.games.actions import Choose, ChooseFurther, Legal, PlayCard
from referee.games.base import Game, State
from referee.games.transcript import combination_text
from referee.match.effects import Append, Deals, Tell
from referee.match.match import Match
from referee.match.messages import Commitment, Decision
from referee.match.replay import apply
from referee.storage.record import Record
from referee.transcript import action_text, by_line
from referee.verify import Line, Past

Frame = dict[str, Any]


def frames(past: Past) -> dict[str, Any]:
    """Return a match that verifies as frames, after what is the same in all of them."""
    return at_once(framing(past))


def framing(past: Past) -> Steps[dict[str, Any]]:
    """Do the same as `frames` in steps, since the whole match is played again."""
    header, outcome = past.lines[0], past.lines[-2]
    made = []
    for frame in _Steps(past).frames():
        made.append(frame)
        yield None
    return {
        "title": past.game.title,
        "sides": [list(side) for side in past.game.sides],
        **{name: header[name] for name in ("match_id", "attempt", "game", "started", "entries", "options")},
        "frames": made,
        "outcome": {name: outcome[name] for name in ("termination", "ranks", "scores")},
    }


class WatchedDeals:
    """The decks of a match; ``deal_over`` is called each time that the deal before is over."""

    def __init__(self, deals: Deals, deal_over: Callable[[], None]) -> None:
        self._deals = deals
        self._deal_over = deal_over

    @property
    def commitment(self) -> Commitment:
        """Return what commits the referee to the decks."""
        return self._deals.commitment

    @property
    def secret(self) -> bytes:
        """Return what opens the commitment."""
        return self._deals.secret

    def deck(self, deal: int) -> tuple[Card, ...]:
        """Return the deck of a deal."""
        self._deal_over()
        return self._deals.deck(deal)

    def first(self, seats: int) -> Seat:
        """Return the seat that begins."""
        return self._deals.first(seats)


class _Steps:
    """Plays a match again, and makes the frames."""

    def __init__(self, past: Past) -> None:
        self._past = past
        self._game: Game[Any] = past.game
        self._seats = tuple(Seat(seat) for seat in range(self._game.seats))
        self._state: State | None = None
        self._before: list[Frame] = [{} for _ in range(1 + len(self._seats))]
        self._asked: dict[int, int] = {}  # by seat, when
        self._over: list[Frame] = []  # of deals that ended in the step that is under way

    def frames(self) -> Iterator[Frame]:
        lines = self._past.lines
        texts = by_line(Record(lines[0], lines[1:]))
        next(texts)  # the header's
        match = Match(
            self._past.header.setup, self._game, WatchedDeals(self._past.deals, self._deal_over), self._view
        )
        began = 0
        for number, given in self._past.inputs():
            match.pass_on(given.at)
            effects = apply(match, given)
            began = given.at if given.kind == "start" else began
            frame: Frame = {"at": given.at - began}
            if given.kind == "answer" and given.seat in self._asked:
                frame["thought"] = {given.seat: given.at - self._asked.pop(given.seat)}
            for effect in effects:
                if isinstance(effect, Tell) and isinstance(effect.update, Decision):
                    self._asked[effect.seat] = given.at
            written = sum(isinstance(effect, Append) for effect in effects)
            *over, text = self._by_deal(lines[number - 1 : number - 1 + written], texts)
            for seen, of_deal in zip(self._over, over, strict=True):
                yield {**frame, "text": of_deal, **seen}
            self._over.clear()
            if text or written > 1 or "thought" in frame:
                yield {**frame, "text": text, **self._seen(match.outcome is None)}

    def _deal_over(self) -> None:
        if self._state is not None:
            self._over.append(self._seen(False))

    def _view(self, state: State, seat: Seat) -> Any:
        self._state = state  # the match hands out its state only here; it stays the same object
        return self._game.view(state, seat)

    def _by_deal(self, lines: Sequence[Line], texts: Iterator[list[str]]) -> list[list[str]]:
        """Return the texts of lines, apart for each deal that began in them after another was over."""
        parts: list[list[str]] = [[]]
        for line in lines:
            if line["type"] == "dealt" and len(parts) <= len(self._over):
                parts.append([])
            parts[-1] += next(texts)
        return parts

    def _seen(self, is_open: bool) -> Frame:
        """Return what has changed of what is known, and who is asked what."""
        state = self._state
        if state is None:
            return {}
        public, *own = (plain(self._game.view(state, seat)) for seat in (None, *self._seats))
        of_seats = [
            {name: value for name, value in view.items() if name != "seat" and value != public.get(name)}
            for view in own
        ]
        changed = [_changed(was, now) for was, now in zip(self._before, [public, *of_seats], strict=True)]
        self._before = [public, *of_seats]
        asked = {seat: asked_of(state.legal(seat)) for seat in state.to_act()} if is_open else {}
        return {"public": changed[0], "seats": changed[1:], "asked": asked}


def _changed(was: Frame, now: Frame) -> Frame:
    changed = {name: value for name, value in now.items() if value != was.get(name)}
    return {**changed, **{name: None for name in was if name not in now}}


def asked_of(legal: Legal) -> Frame:
    """Return what can be answered: cards to play or choose from, or answers in words."""
    match legal:
        case Choose(cards, minimum, maximum):
            return {"cards": [CARD_NAMES[card] for card in cards], "least": minimum, "most": maximum}
        case ChooseFurther(combinations, minimum, maximum):
            texts = [combination_text(tagged(each)) for each in combinations]
            return {"answers": texts, "least": minimum, "most": maximum}
        case _:
            plays = [action for action in legal.actions if isinstance(action, PlayCard)]
            if plays:
                return {"cards": [CARD_NAMES[play.card] for play in plays]}
            return {"answers": [action_text(tagged(action)) for action in legal.actions]}
