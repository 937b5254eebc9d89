"""The states that OpenSpiel's bots are shown: true in what the seat knows, possible in the rest."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import pyspiel
import pytest

import fairdeal
from fairdeal.adapters import openspiel
from fairdeal.adapters.openspiel import _RULES
from fairdeal.bots import Greedy, Random
from fairdeal.model._worlds import draw
from fairdeal.testing import play
from tests.adapters.conftest import AGREED, OTHER_OPTIONS

every_game: Final = pytest.mark.parametrize("game", openspiel.GAMES)
every_table: Final = pytest.mark.parametrize(
    ("game", "options"),
    [(game, options) for game in AGREED for options in (AGREED[game], AGREED[game] | OTHER_OPTIONS[game])],
)
HANDS: Final = {"hearts": 13, "spades": 13, "euchre": 5}


def state_of(decision: fairdeal.Decision, chance: fairdeal.Chance, *, checked: bool = False) -> Any:
    """Return the state of a decision as a bot is shown it; what is hidden comes from the chance given."""
    rules, view = _RULES[decision.match.game], decision.view
    game = pyspiel.load_game(decision.match.game, rules.parameters(decision.match))
    state = game.new_initial_state()
    rules.prepare(state, view)
    for action in rules.history(view, draw(decision, chance), chance):
        if checked and not _lost_lead(decision, state, action):
            state.apply_action_with_legality_check(action)
        else:
            state.apply_action(action)
    return state


def _lost_lead(decision: fairdeal.Decision, state: Any, action: int) -> bool:
    """Return whether an action is one that OpenSpiel's spades do not have: the lead of a broken spade."""
    return decision.match.game == "spades" and action in range(39, 52) and action not in state.legal_actions()


def told(state: Any, player: int) -> str:
    """Return what a state tells a player."""
    if state.get_game().get_type().short_name == "spades":
        return str(state.observation_string(player))
    return str(state.information_state_string(player))


def asked(decisions: Sequence[fairdeal.Decision]) -> list[fairdeal.Decision]:
    """Return the decisions that OpenSpiel has too."""
    rules = _RULES[decisions[0].match.game]
    return [each for each in decisions if rules.without_asking(each.view) is None]


def other_chance(*key: object) -> fairdeal.Chance:
    return fairdeal.Chance(f"{key}", "other", 0, 0)


@every_table
def test_a_state_is_a_course_of_the_deal_by_openspiels_rules(
    game: str, options: dict[str, Any], decisions_of: Callable[..., list[fairdeal.Decision]]
) -> None:
    """Nobody in it plays what it could not, with the hand that it is drawn to have."""
    decisions = asked(decisions_of(game, options=options, deals=6))
    assert len(decisions) > 6 * 4
    for decision in decisions:
        state = state_of(decision, decision.chance, checked=True)
        assert state.current_player() == _RULES[game].player(decision.view)


@every_game
def test_what_a_state_tells_the_player_does_not_depend_on_what_was_drawn(
    game: str, decisions_of: Callable[..., list[fairdeal.Decision]]
) -> None:
    differ = 0
    for decision in asked(decisions_of(game, options=AGREED[game], deals=6)):
        player = _RULES[game].player(decision.view)
        states = [state_of(decision, other_chance(n)) for n in range(3)]
        assert len({told(state, player) for state in states}) == 1
        differ += len({tuple(state.history()) for state in states}) > 1
    assert differ > 6 * HANDS[game]


@every_table
def test_openspiel_allows_what_the_referee_allows(
    game: str, options: dict[str, Any], decisions_of: Callable[..., list[fairdeal.Decision]]
) -> None:
    """In spades it lacks the leads of broken spades, and bids above 13 of two partners."""
    fewer = 0
    for decision in asked(decisions_of(game, options=options, deals=6)):
        rules, view, legal = _RULES[game], decision.view, decision.legal
        theirs = state_of(decision, decision.chance).legal_actions()
        if isinstance(legal, fairdeal.LegalChoice):
            assert [[card] for card in sorted(legal.cards)] == sorted(
                [[*rules.answer(view, [action])] for action in theirs]
            )
            continue
        assert isinstance(legal, fairdeal.LegalActions)
        ours = {a.card if isinstance(a, fairdeal.PlayCard) else a for a in legal.actions}
        answers = {rules.answer(view, [action]) for action in theirs}
        assert answers and answers <= ours
        if answers != ours:
            fewer += 1
            missing = ours - answers
            assert game == "spades"
            assert all(
                isinstance(each, fairdeal.Bid) or each.suit is fairdeal.Suit.SPADES for each in missing
            )
    assert (fewer > 0) == (game == "spades")


class DealtBot(Random):
    """A bot that keeps, beside its decisions, what it was dealt."""

    def __init__(self) -> None:
        self.decisions: list[fairdeal.Decision] = []
        self.hands: dict[int, fairdeal.Cards] = {}

    def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
        self.decisions.append(decision)
        return super().act(decision)

    def on_event(self, happened: fairdeal.Happened) -> None:
        if hand := getattr(happened.event, "hand", None):
            self.hands[len(self.hands)] = hand


def dealt(state: Any, player: int, dealer: int) -> list[int]:
    """Return the cards that a player was dealt, by OpenSpiel's numbers."""
    game = state.get_game().get_type().short_name
    skipped = {"hearts": 1, "spades": 0, "euchre": 1}[game]
    first = (player - dealer) % 4 if game == "euchre" else player
    cards: list[int] = state.history()[skipped : skipped + 4 * HANDS[game]]
    return sorted(cards[first::4])


@every_game
def test_the_player_has_its_own_cards(game: str) -> None:
    bot = DealtBot()
    play(game, [bot, *3 * [Random()]], seed="spring", options=AGREED[game], deals=6)
    numbers = {
        "hearts": lambda card: 4 * (card.rank - 2) + card.suit - 1,
        "spades": lambda card: card.number - 1,
        "euchre": lambda card: 4 * (card.rank - 9) + card.suit - 1,
    }[game]
    for decision in asked(bot.decisions):
        view: Any = decision.view
        state = state_of(decision, other_chance(1))
        cards = dealt(state, _RULES[game].player(view), getattr(view, "dealer", 0))
        assert cards == sorted(map(numbers, bot.hands[view.deal - 1]))


def test_the_player_passed_and_received_its_own_cards(
    decisions_of: Callable[..., list[fairdeal.Decision]],
) -> None:
    passes = 0
    for decision in decisions_of("hearts", options=AGREED["hearts"], deals=4):
        view: Any = decision.view
        if view.passed:
            text = told(state_of(decision, other_chance(1)), view.seat)
            lines = dict(line.split(": ", 1) for line in text.splitlines() if " Cards: " in line)
            given, got = (lines[f"{name} Cards"].split() for name in ("Passed", "Received"))
            assert (sorted(given), sorted(got)) == tuple(
                sorted(card.name for card in cards) for cards in (view.passed, view.received)
            )
            passes += 1
    assert passes == 3 * 52


class Recording:
    """A bot that plays the first legal action and keeps what it was made with and shown."""

    def __init__(self, log: list[Any], game: Any, player: int) -> None:
        self.states: list[Any] = []
        log.append((game, player, self.states))

    def step(self, state: Any) -> int:
        self.states.append(state.clone())
        first: int = state.legal_actions()[0]
        return first


@every_game
def test_each_deal_has_a_bot_of_its_own_made_for_its_player(game: str) -> None:
    made: list[Any] = []
    bot = openspiel.bot(lambda of, player: Recording(made, of, player))
    play(game, [bot, *3 * [Greedy()]], seed="spring", options=AGREED[game], deals=5)
    assert len(made) == 5
    players = {player for _game, player, _states in made}
    assert players == ({0, 1, 2, 3} if game == "spades" else {0})
    for of, player, states in made:
        assert {state.current_player() for state in states} == {player}
        assert {str(state.get_game()) for state in states} == {str(of)}


def test_the_game_of_a_match_has_its_options() -> None:
    made: list[Any] = []
    bot = openspiel.bot(lambda of, player: Recording(made, of, player))

    def parameters(game: str, deals: int | None, **options: Any) -> Any:
        made.clear()
        play(game, [bot, *3 * [Greedy()]], seed="s", options=AGREED[game] | options, deals=deals)
        return made[0][0].get_parameters()

    hearts = parameters("hearts", 1, jack_of_diamonds=True)
    assert hearts["jd_bonus"] is hearts["can_lead_hearts_instead_of_qs"] is True
    assert parameters("euchre", 1, stick_the_dealer=False, defenders_may_go_alone=False) == {
        "allow_lone_defender": False,
        "stick_the_dealer": False,
    }
    whole = parameters("spades", None, target=60, floor=-70, max_deals=2)
    assert (whole["win_threshold"], whole["mercy_threshold"]) == (60, -70)
    fixed = parameters("spades", 1, target=60)
    assert (fixed["win_threshold"], fixed["use_mercy_rule"]) == (10**6, False)


def test_a_bot_of_spades_is_shown_the_scores() -> None:
    made: list[Any] = []
    bot = openspiel.bot(lambda of, player: Recording(made, of, player))
    played = play("spades", [bot, *3 * [Greedy()]], seed="spring", deals=3)
    scored = [entry for entry in played.log if type(entry).__name__ == "DealScored"]
    before = [(0, 0), *(entry.totals for entry in scored[:-1])]
    for (_game, _player, states), totals in zip(made, before, strict=True):
        assert {tuple(sorted(state.get_current_scores())) for state in states} == {tuple(sorted(totals))}


def test_the_scores_of_spades_stand_in_the_state_the_dealers_side_first(
    decisions_of: Callable[..., list[fairdeal.Decision]],
) -> None:
    seen = set()
    for decision in asked(decisions_of("spades", options=AGREED["spades"], deals=4)):
        view = decision.view
        dealers, others = view.scores[view.dealer % 2], view.scores[1 - view.dealer % 2]
        assert state_of(decision, decision.chance).get_current_scores() == [dealers, others]
        seen.add((view.dealer % 2, view.scores))
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("bids", "shown"),
    [((9, 9, 9, 9), (9, 9, 4, 4)), ((13, 0, 1, 13), (13, 0, 0, 13)), ((3, 4, 5, 6), (3, 4, 5, 6))],
)
def test_bids_of_more_than_thirteen_are_shown_as_thirteen(
    bids: tuple[int, ...], shown: tuple[int, ...], decisions_of: Callable[..., list[fairdeal.Decision]]
) -> None:
    decision = next(d for d in decisions_of("spades", deals=1) if d.view.trick or len(d.view.bids) == 4)
    made = tuple(fairdeal.BidMade(n, tricks) for n, tricks in enumerate(bids))
    world = draw(decision, decision.chance)
    history = _RULES["spades"].history(replace(decision.view, bids=made), world, decision.chance)
    assert tuple(action - 52 for action in history[52:56]) == shown


def test_the_same_seed_shows_the_same_states() -> None:
    def histories(seed: str) -> list[list[int]]:
        made: list[Any] = []
        bot = openspiel.bot(lambda of, player: Recording(made, of, player))
        play("hearts", [bot, *3 * [Greedy()]], seed=seed, options=AGREED["hearts"], deals=2)
        return [state.history() for _game, _player, states in made for state in states]

    assert histories("a") == histories("a") != histories("b")
