"""A seat that a person plays: whole games, what is refused, and what survives."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from fairdeal.bots import make
from referee.core.access import Denied, Trusting
from referee.core.running_match import OpenTable
from referee.games.actions import ChooseCombinations, ChooseFurther
from referee.games.combinations import SetCombination
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from referee.match.messages import Reason
from referee.verify import past, seen_by
from tests.server.conftest import match_setup
from tests.tournaments.web.site import site
from tests.workspace import PATIENCE
from tournaments.running.access import Admission
from tournaments.web.hall import CLOCK, Hall, _action
from tournaments.web.people import person_of
from tournaments.web.seats import HouseSeat

pytestmark = pytest.mark.asyncio

CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")


@pytest.mark.parametrize("game", GAMES)
async def test_a_whole_game_is_played_and_shows_no_card_that_the_seat_was_not_told(
    tmp_path: Path, game: str
) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        came = await pages.play(game)
    (report,) = pages.served.reports  # the record is written by then
    kinds = [kind for kind, _data in came]
    assert (kinds[0], kinds[-1], kinds.count("table")) == ("table", "end", 1)
    assert came[-1][1]["scores"] == list(report.outcome.scores)
    assert [counts.total for counts in report.outcome.faults] == [0] * GAMES[game].seats
    seat = came[0][1]["seat"]
    told = seen_by(past(report.path.read_bytes()), seat)
    known = {*CARD.findall(json.dumps(told.lines))}
    shown = {*CARD.findall(json.dumps([data for kind, data in came if kind == "step"]))}
    assert shown <= known
    first_hand = next(data["view"]["hand"] for kind, data in came if kind == "step")
    assert {*CARD.findall(json.dumps(came[1][1]))} >= {*first_hand}


async def test_what_is_not_legal_is_refused_and_costs_nothing(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        came = await pages.play("two_handed_spades", answers=0)
        number = came[-1][1]["decision"]
        for wrong in ("AS", 99, -1, [1], None, {"a": 1}, True, "no card", ["AS"] * 100):
            answer = await pages.post("/play/answer", {"decision": number, "answer": wrong})
            assert answer.status_code in (400, 409), wrong
        stale = await pages.post("/play/answer", {"decision": number + 1, "answer": 0})
        assert (stale.status_code, stale.json()) == (409, {"text": "this decision is closed"})
        assert (await pages.post("/play/answer", {"decision": number, "answer": 0})).status_code == 204
        again = await pages.post("/play/answer", {"decision": number, "answer": 1})
        assert again.status_code == 409
        await pages.go_on()
    (report,) = pages.served.reports
    assert [counts.total for counts in report.outcome.faults] == [0, 0]


async def test_a_page_that_is_loaded_again_shows_the_table_and_the_question(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        before = await pages.play("piquet", answers=3)
        again = await pages.go_on(answers=0)
        steps = [data for kind, data in before if kind == "step"]
        assert [data["view"] for kind, data in again if kind == "step"] == [data["view"] for data in steps]
        assert again[-1][1]["decision"] == before[-1][1]["decision"]


async def test_a_referee_that_is_started_again_has_the_table_with_its_bots(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        before = await pages.play("hearts", answers=4)
        cookies = pages.client.cookies
    async with site(tmp_path, cookies=cookies) as pages:
        came = await pages.go_on()
        assert came[0][1]["match_id"] == before[0][1]["match_id"]
        assert came[-1][0] == "end"


async def test_one_match_at_a_time_and_another_after_it(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        await pages.play("euchre", answers=0)
        second = await pages.post("/play/table", {"game": "hearts", "deals": 1, "bot": "greedy"})
        assert (second.status_code, second.json()) == (409, {"text": "you sit at a table already"})
        assert (await pages.post("/play/leave", {})).status_code == 204
        async with asyncio.timeout(PATIENCE):
            async for kind, _data in pages.events("/play/events"):
                if kind == "free":
                    break
        came = await pages.play("piquet")
        assert came[-1][1]["termination"] == "completed"


WHOEVER = {"game": "piquet", "deals": None, "bot": ""}


def open_table() -> OpenTable:
    rules, clock = GAMES["piquet"], PROFILES["fast"]
    return OpenTable(game="piquet", options=rules.bind({}), deals=1, clock=clock, faults=FaultPolicy())


async def test_a_person_waits_for_whoever_comes_and_the_clock_suits_people(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path, open_tables=[open_table()]) as pages:
        await pages.enter()
        assert (await pages.post("/play/table", WHOEVER)).status_code == 204
        waiting = pages.events("/play/events")
        assert await anext(waiting) == ("waiting", {"game": GAMES["piquet"].title})
        assert (await pages.post("/play/table", WHOEVER)).status_code == 409
        HouseSeat(pages.served.referee, "", ("visitor", ""), make("greedy"), 0).begin()
        assert (await anext(waiting))[0] == "table"
        await waiting.aclose()
        came = await pages.go_on()
        assert sorted(came[0][1]["entries"]) == ["anna", "visitor"]
        assert came[-1][1]["termination"] == "completed"
    (report,) = pages.served.reports
    assert report.setup.clock == CLOCK


async def test_who_waits_no_more_is_given_no_seat(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path, open_tables=[open_table()]) as pages:
        await pages.enter()
        await pages.post("/play/table", WHOEVER)
        stream = pages.events("/play/events")
        assert (await anext(stream))[0] == "waiting"
        assert (await pages.post("/play/leave", {})).status_code == 204
        assert (await anext(stream))[0] == "free"
        await stream.aclose()
        HouseSeat(pages.served.referee, "", ("visitor", ""), make("greedy"), 0).begin()
        assert not pages.served.referee.core.matches.setups
        assert (await pages.play("piquet"))[-1][0] == "end"


async def test_nobody_waits_whose_page_is_closed(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path, open_tables=[open_table()]) as pages:
        hall = pages.pages._hall
        assert hall
        hall.absent_seconds = 0
        await pages.enter()
        await pages.post("/play/table", WHOEVER)
        streams = [pages.events("/play/events") for _ in range(2)]
        for stream in streams:
            assert (await anext(stream))[0] == "waiting"
        (place,) = hall._places.values()
        for stream, waits in zip(streams, (True, False), strict=True):
            await stream.aclose()
            for _turn in range(2):  # the stream ends, and what was put off for no time is due
                await asyncio.sleep(0)
            assert place.seat and bool(place.seat.waits_for) is waits
        assert (await anext(pages.events("/play/events")))[0] == "free"


async def test_nobody_waits_for_a_game_without_an_open_table(tmp_path: Path) -> None:
    async with site(tmp_path, open_tables=[open_table()]) as pages:
        await pages.enter()
        refused = await pages.post("/play/table", {**WHOEVER, "game": "hearts"})
        assert (refused.status_code, refused.json()["text"]) == (400, "there is no open table for this game")


async def test_no_more_tables_are_opened_than_the_limit(tmp_path: Path) -> None:
    async with site(tmp_path, tables=1) as pages:
        await pages.enter("anna")
        await pages.play("euchre", answers=0)
        pages.client.cookies.clear()
        await pages.enter("bert")
        refused = await pages.post("/play/table", {"game": "hearts", "deals": 1, "bot": "greedy"})
        assert (refused.status_code, "the limit" in refused.json()["text"]) == (429, True)


async def test_a_table_that_was_left_by_an_earlier_process_counts_while_it_is_played(tmp_path: Path) -> None:
    async with site(tmp_path, tables=1) as pages:
        await pages.enter()
        await pages.play("piquet", answers=1)
        cookies = pages.client.cookies
    async with site(tmp_path, cookies=cookies, tables=1) as pages:
        await pages.go_on()
        assert (await pages.play("piquet", answers=0))[0][0] == "table"


async def test_who_has_lost_the_session_in_mid_match_plays_no_second_one(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        await pages.play("piquet", answers=0)
        core = pages.served.referee.core
        (setup,) = core.matches.setups
        owners = zip(setup.entries, setup.instance_by_seat, strict=True)
        person = next(filter(None, map(person_of, owners)))
        session, hall = core.sessions.get(person.owner), pages.pages._hall
        assert session and hall
        changed = hall.place(person).changed
        assert pages.served.referee.end_session(session.number)
        async with asyncio.timeout(PATIENCE):
            await changed.wait()
        again = await pages.post("/play/table", {"game": "hearts", "deals": 1, "bot": "greedy"})
        assert again.status_code == 409


async def test_a_bot_that_is_called_as_house_bots_are_is_not_stood_in_for(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        owners = (("mallory", "web-0123456789ab-1"), ("b", ""))
        pages.served.referee.play(match_setup(entries=["mallory", "b"]), owners)
        hall = Hall(pages.served.referee, Admission(Trusting()))
        hall.recover()
        assert pages.served.referee.core.sessions.get(owners[0]) is None


@pytest.mark.parametrize("wrong", [-1, 2, True, 1.0, "0", float("inf")])
async def test_what_is_no_position_of_a_combination_is_refused(wrong: object) -> None:
    pairs = tuple(SetCombination(rank, 3) for rank in (12, 11))
    assert _action(ChooseFurther(pairs, 0, 2), [1]) == ChooseCombinations(pairs[1:])
    with pytest.raises(Denied, match="this is no answer"):
        _action(ChooseFurther(pairs, 0, 2), [wrong])


async def test_a_page_that_does_not_read_costs_no_other_page_the_table(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        await pages.enter()
        await pages.play("piquet", answers=0)
        slow = pages.events("/play/events")
        assert (await anext(slow))[0] == "table"
        watchers = pages.served.referee.watching._watched
        (by_seat,) = watchers.values()
        for watcher in [each for watched in by_seat.values() for each in watched.watchers]:
            watcher.end(Reason.SLOW_READER, "too slow")
        assert [kind async for kind, _data in slow][-1] == "refused"
        again = await pages.post("/play/table", {"game": "hearts", "deals": 1, "bot": "greedy"})
        assert again.status_code == 409
        assert (await pages.go_on())[-1][0] == "end"


async def test_a_person_has_the_table_open_in_a_few_pages_at_most(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path) as pages:
        await pages.enter()
        opened = [pages.events("/play/events") for _ in range(4)]
        for each in opened:
            assert (await anext(each))[0] == "free"
        assert (await pages.client.get("/play/events")).status_code == 429
        await opened.pop().aclose()
        opened.append(pages.events("/play/events"))
        assert (await anext(opened[-1]))[0] == "free"
        for each in opened:
            await each.aclose()


@pytest.mark.parametrize(
    "asked",
    [
        {"game": "chess", "deals": 1, "bot": "greedy"},
        {"game": "hearts", "deals": 0, "bot": "greedy"},
        {"game": "hearts", "deals": 10**9, "bot": "greedy"},
        {"game": "hearts", "deals": "1", "bot": "greedy"},
        {"game": "hearts", "deals": 1, "bot": "../greedy"},
    ],
)
async def test_a_table_that_there_is_not_is_refused(tmp_path: Path, asked: dict[str, Any]) -> None:
    async with site(tmp_path) as pages:
        await pages.enter()
        assert (await pages.post("/play/table", asked)).status_code == 400
        assert not pages.served.referee.core.matches.setups


# Who is here


@pytest.mark.parametrize("name", ["anna", "Anna", "a-n_na.", "greedy", "Greedy", "searcher-1", "seArcher_l"])
async def test_nobody_has_a_name_that_looks_like_that_of_another(tmp_path: Path, name: str) -> None:
    async with site(tmp_path) as pages:
        await pages.enter("anna")
        link, origin = f"/enter/{pages.door.invite()}", {"origin": pages.address}
        refused = await pages.client.post(link, data={"name": name}, headers=origin)
        assert (refused.status_code, "one that looks like it, is taken" in refused.text) == (
            200,
            True,
        )
        assert (await pages.client.post(link, data={"name": "bert"}, headers=origin)).status_code == 303


async def test_nobody_is_called_as_an_entry_is_or_the_other_way_round(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), site(tmp_path, open_tables=[open_table()]) as pages:
        visitor = HouseSeat(pages.served.referee, "", ("visitor", ""), make("greedy"), 0)
        visitor.begin()
        pages.served.referee.play(match_setup(entries=["mallory", "b"]), (("mallory", ""), ("b", "")))
        hall = pages.pages._hall
        assert hall
        assert [hall.is_free(name) for name in ("Visitor", "ma11ory", "anna")] == [False, False, True]
        await pages.enter("anna")
        late = HouseSeat(pages.served.referee, "", ("Anna", ""), make("greedy"), 0)
        late.begin()
        assert late.refused and "a person plays here by this name" in late.refused.text


async def test_who_comes_back_when_somebody_else_has_the_name_needs_another_link(tmp_path: Path) -> None:
    async with site(tmp_path) as pages:
        await pages.enter("anna")
        cookies = pages.client.cookies
    async with site(tmp_path) as pages:
        await pages.enter("Anna")
        pages.client.cookies = cookies
        refused = await pages.client.get("/play", headers={"accept": "text/html"})
        text = "Somebody else is here as anna by now: ask the organiser for another link."
        assert (refused.status_code, text in refused.text) == (409, True)
