"""The options about pages over HTTP, which several commands have."""

from typing import Annotated

import typer

from referee.server.tls import Tls
from tournaments.cli.failure import Failure
from tournaments.plan.plan import Server
from tournaments.web.address import NoWeb, WebAddress, web_address

Http = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Serve pages to watch the matches in a browser, at HOST:PORT; needs the extra web of fairdeal.",
    ),
]
Insecure = Annotated[
    bool, typer.Option("--insecure", help="With --http: allow other machines to connect without TLS.")
]


def pages_at(
    http: str | None, tls: Tls | None, *, insecure: bool, plays: bool = False, url: str | None = None
) -> WebAddress | None:
    """Return where pages are served, None where they are not wanted.

    Raises:
        Failure: they cannot be served so.
    """
    if http is None:
        return None
    try:
        return web_address(http, tls, plays=plays, insecure=insecure, url=url)
    except NoWeb as error:
        raise Failure(f"fairdeal: {error}", 2) from None


def tls_of(server: Server) -> Tls | None:
    """Return the certificate of a tournament's server, which its pages use, too."""
    if server.certificate and server.key:
        return Tls(server.certificate, server.key)
    return None
