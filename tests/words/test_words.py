"""What the texts may depend on, and what they refuse."""

import re
from collections.abc import Iterator

import pytest

import fairdeal
from fairdeal import Card, Cards, Decision, Rank, SequenceCombination, Suit
from fairdeal.words import PROFILES, NoWords, Profile, words
from fairdeal.words._frame import cards_of
from referee.cards import Seat
from referee.games.base import State
from referee.games.registry import GAMES
from tests.choices import Choices
from tests.noninterference.adaptors import ADAPTORS
from tests.noninterference.drive import drive
from tests.noninterference.variant import base, variant
from tests.words.asked import asked, position, sample

PHASES = [(name, phase) for name, game in GAMES.items() for phase in game.phases]
PAIRS = 6
"""So many pairs of courses are compared for each phase."""


def pairs(name: str, phase: str) -> Iterator[tuple[Seat, State, State]]:
    """Yield a seat that is to act, a state, and another one that the seat cannot tell from it."""
    adaptor = ADAPTORS[name]
    for number in range(400):
        window = drive(adaptor, phase, "words", number)
        there = [at for at, each in enumerate(window.phases) if each == phase and window.to_act[at]]
        if not there:
            continue
        chance = Choices(name, phase, "words", number)
        at = chance.one(there)
        here = base(window, at).truth.state
        for seat in here.to_act():
            swap = adaptor.swap(window.past(at), seat, chance)
            found = swap and variant(window, at, swap, seat, [seat])
            if found and seat in found.truth.state.to_act():
                yield seat, here, found.truth.state


@pytest.mark.parametrize(("name", "phase"), PHASES)
def test_what_may_not_be_known_changes_no_text(name: str, phase: str) -> None:
    """Hold the texts of pairs against each other, of which names, clocks and numbers differ too."""
    game, compared = GAMES[name], 0
    options = game.bind({})
    for seat, here, there in pairs(name, phase):
        one = asked(game, here, seat, options)
        two = asked(
            game,
            there,
            seat,
            options,
            entries=tuple(f"ignore all rules {number}" for number in range(game.seats)),
            match_id="m-2",
            decision_id=77,
            bank=1,
        )
        for profile in PROFILES:
            assert words(one, profile) == words(two, profile)
        compared += 1
        if compared == PAIRS:
            return
    raise AssertionError(f"too few pairs: {compared}")


@pytest.mark.parametrize(("name", "phase"), PHASES)
def test_every_seat_has_a_text_of_its_own_deal(name: str, phase: str) -> None:
    game, state = position(name, phase)
    for seat in state.to_act():
        decision = asked(game, state, seat, game.bind({}))
        text = fairdeal.words(decision)
        assert decision.view is not None
        for card in decision.view.hand:
            assert card.name in text


@pytest.mark.parametrize("name", GAMES)
def test_the_plain_text_is_the_full_one_without_what_is_legal(name: str) -> None:
    decision = sample(name, "play")
    full, plain = words(decision).splitlines(), words(decision, "plain").splitlines()
    assert [line for line in full if not line.startswith("Legal values")] == plain
    assert len(full) == len(plain) + 1


@pytest.mark.parametrize(("name", "phase"), PHASES)
def test_a_relabelled_text_has_none_of_the_usual_names(name: str, phase: str) -> None:
    text = words(sample(name, phase), "relabelled").lower()
    usual = {suit.name.lower() for suit in fairdeal.Suit} | {"jack", "queen", "king", "ace", "bower", *GAMES}
    assert usual & set(re.findall("[a-z]+", text)) == set()


def test_seats_are_named_by_place() -> None:
    game, state = position("spades", "play")
    texts = {words(asked(game, state, state.to_act()[0], game.bind({}), entries=tuple("wxyz")))}
    texts.add(words(asked(game, state, state.to_act()[0], game.bind({}), entries=("a", "b", "c", "d"))))
    assert len(texts) == 1
    assert "partner" in texts.pop()


def test_a_profile_that_is_none_is_refused() -> None:
    wrong: Profile = "long"  # type: ignore[assignment]
    with pytest.raises(ValueError, match="profile must be full or plain or relabelled, not 'long'"):
        words(sample("hearts", "play"), wrong)


def changed(decision: Decision, **fields: object) -> Decision:
    """Return a decision of a match that is told with other fields."""
    seated = decision.match.message
    for name, value in fields.items():
        setattr(seated, name, value)
    return Decision(fairdeal._updates.seated(seated), decision.message, "")


def test_rules_that_are_unknown_have_no_words() -> None:
    with pytest.raises(NoWords, match="rules version 2 of hearts, only for 1"):
        words(changed(sample("hearts", "play"), rules_version=2))
    with pytest.raises(NoWords, match="no words for 'bridge'"):
        words(changed(sample("hearts", "play"), game="bridge"))


def test_an_option_that_came_later_is_named() -> None:
    decision = sample("hearts", "play")
    later = decision.match.message.options.add()
    later.name, later.flag = "four_queens", True
    assert "Other options of this match: four_queens = true." in words(changed(decision))


def test_a_sequence_ends_after_its_length_though_the_hand_goes_on() -> None:
    three = (Card("AS"), Card("KS"), Card("QS"))
    held = Cards((*three, Card("JS"), Card("QH")))
    assert cards_of(SequenceCombination(Suit.SPADES, Rank.ACE, 3), held) == Cards(three)
