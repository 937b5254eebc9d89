"""The tests that start processes and yet run in `make test`: one of each command, format, way of failing."""

from typing import Final

_FORMAT: Final = "tests/e2e/test_formats.py::test_a_format"
_TOURNAMENT: Final = "tests/e2e/test_tournament.py"

SMOKES: Final = frozenset(
    {
        # commands: tournament run, standings and status; serve and bot; serve --tournaments and what asks it
        f"{_TOURNAMENT}::test_from_a_file_to_the_tables",
        "tests/e2e/test_serve.py::test_a_unix_socket",
        "tests/e2e/test_remote_entries.py::test_who_played_gets_the_record",
        "tests/tournaments/cli/test_cli_remote_real.py::test_tournaments_of_a_server",
        "tests/tournaments/cli/test_cli_verify.py::test_many_records_are_verified_by_several_processes_in_order",
        # stdio, bench, check-bot, compare; a bot of one's own
        "tests/stdio/test_command.py::test_a_match",
        "tests/tournaments/cli/test_cli_bench.py::test_one_load_is_measured",
        "tests/check/test_command.py::test_a_bot_that_passes",
        "tests/e2e/test_compare.py::test_a_bot_that_remembers_every_deck_meets_none_of_them_again",
        "tests/clients/test_package.py::test_the_first_bot_plays",
        # formats, swiss killed in mid-match and gone on with; a round robin is at the end, a ladder above,
        # knockouts below
        f"{_FORMAT}[swiss-two_handed_spades]",
        f"{_FORMAT}[double_knockout-hearts]",
        f"{_FORMAT}[gauntlet-euchre]",
        # a knockout of duplicate sets, killed between the turns of one
        "tests/e2e/test_sets.py::test_a_knockout_of_sets_that_is_killed_in_the_midst_of_them",
        "tests/e2e/test_stages.py::test_an_example_in_stages_goes_on_after_a_kill",
        # ways of failing: Ctrl-C, a full disk, a bot that dies, a sandbox, SIGTERM with a drain, SIGKILL
        "tests/check/test_command.py::test_ctrl_c_ends_bot_and_check",
        "tests/e2e/test_full_disk.py::test_a_full_disk_ends_the_run_with_its_remedy[at once]",
        "tests/e2e/test_bad_bots.py::test_a_bot_that_dies_in_a_match",
        "tests/tournaments/hosting/test_sandbox.py::test_house_bots_play_a_match_from_within",
        f"{_TOURNAMENT}::test_what_is_played_at_a_signal_may_end",
        f"{_TOURNAMENT}::test_no_moment_is_a_bad_one_to_break_off[records/*/*.gz-9]",
    }
)
