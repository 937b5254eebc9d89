"""Tournaments: everything around the matches; ARCHITECTURE.md tells more.

Rooms from the top down; each uses only rooms below it, and those on one line do not use each other:

    cli                                               the command `fairdeal`
    serving, check, bench, compare, backup            programs; check-bot; measures; the better bot; copies
    web                                               pages over HTTP, to watch tables and to play
    service                                           many tournaments by name, over gRPC
    executors                                         matches played on other machines, by a cluster of Ray
    site                                              a tournament as a folder of pages
    running, tournament_file, report                  a tournament being played; its file; what is shown of it
    par                                               takes the luck of the deal out of results
    standings, usage                                  results to standings; what language models used
    store                                             what was issued and what came of it, in a database
    schedule, hosting                                 who plays whom; the process of one bot
    plan                                              what a tournament is
    arrays, folder_lock, ratings, text, worker_pool   NumPy; whose a folder is; TrueSkill; safe text; work

`tournament_file.reader` makes a plan of a file, `serving.one_tournament` opens its folder, store and referee,
and `running.runner` plays it: pairings from `schedule` are issued in the store and played by the referee, and
their results are stored before the referee forgets them. `standings` folds them in the order of the schedule.
"""
