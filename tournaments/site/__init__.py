"""A tournament as a site of static pages, and the folder of files that is kept up to date with it.

`tournaments.site.gather` reads the store, `tournaments.site.pages` and `tournaments.site.match_pages` make
the bytes at each path, `tournaments.site.writer` keeps them in a folder.
"""
