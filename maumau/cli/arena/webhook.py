"""`maumau webhook …`: addresses to which the arena sends events."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table

from maumau.cli.shared import place
from maumau.cli.shared.question import Yes, ask_first
from maumau.errors import NotDelivered
from maumau.screen.output import Json, Where, json_line, show

if TYPE_CHECKING:
    from maumau.client import answer
    from maumau.client.arena import Arena

app = typer.Typer(
    help="Have events sent to an address of yours: docs/reference/webhooks.md.", no_args_is_help=True
)

WAIT_SECONDS: Final = 20.0
Id = Annotated[str, typer.Argument(metavar="ID", help="The id, as `maumau webhook list` shows it.")]
Url = Annotated[
    str,
    typer.Argument(
        help=(
            "An https:// address that takes POST requests; mailto:ANA@EXAMPLE.ORG; or a chat's, such as"
            " discord://ID/TOKEN."
        )
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND",
        help=(
            "An event such as bot.refused or contest.decided, or bot, contest or ladder for all that"
            " begin so; repeatable. Without it: all events."
        ),
    ),
]
Followed = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A contest to follow although you take no part in it; repeatable."),
]
Language = Annotated[
    str,
    typer.Option(
        metavar="CODE", help="The language of messages to mail and chat: en or de; by default English."
    ),
]


@app.command(name="add")
def add_webhook(
    url: Url,
    *,
    on: Kinds = None,
    contest: Followed = None,
    language: Language = "",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Send events to an address: of your bots, of contests that you organise or take part in, of ladders.

    Example: maumau webhook add https://bots.example/maumau --on bot --on contest.decided
    """
    with place.connect_arena(arena) as link:
        for name in contest or ():
            link.tournament(name)  # one that there is not, or not for the caller, cannot be followed
        made = link.create_webhook(url, on or (), contest or (), language)
    if as_json:
        json_line(made)
    else:
        _show_new(made)


def _show_new(made: answer.CreateWebhookResponse) -> None:
    hook = made.webhook
    show(f"{hook.id} is told of {', '.join(hook.kinds)}.")
    if hook.confirm_until:
        show("A mail asks its owner to confirm the address, until then it gets nothing else.")
        return
    if made.secret:
        show(f"{made.secret}\nThis secret is shown only this once; events are signed with it.")
    show(f"`maumau webhook test {hook.id}` sends one.")


@app.command(name="list")
def list_webhooks(*, arena: Where = None, as_json: Json = False) -> None:
    """List your webhooks, and how they do.

    Example: maumau webhook list
    """
    with place.connect_arena(arena) as link:
        found = link.webhooks()
    if as_json:
        json_line({"webhooks": found})
        return
    if not found:
        show("You have no webhooks; `maumau webhook add URL` makes one.")
        return
    table = Table("id", "address", "state", "waiting", "problem", box=None)
    for one in found:
        table.add_row(one.id, one.url, one.state, str(one.waiting), one.problem or "-")
    show(table)


@app.command(name="show")
def show_webhook(webhook_id: Id, *, arena: Where = None, as_json: Json = False) -> None:
    """Show one of your webhooks with its latest deliveries.

    Example: maumau webhook show hook_06f3k
    """
    with place.connect_arena(arena) as link:
        found = link.webhook(webhook_id)
    if as_json:
        json_line(found)
        return
    hook = found.webhook
    show(f"{hook.url}\nstate: {_describe_state(hook)}\nevents: {', '.join(hook.kinds)}")
    if hook.contests:
        show(f"contests followed: {', '.join(hook.contests)}")
    table = Table("id", "event", "happened", "attempts", "answer", "delivered", box=None)
    for one in found.deliveries:
        status = str(one.status) if one.status else "-"
        times = _time(one.at), _time(one.delivered_at)
        table.add_row(one.id, one.kind, times[0], str(one.attempts), status, times[1])
    show(table)


@app.command(name="test")
def send_test(webhook_id: Id, *, arena: Where = None, as_json: Json = False) -> None:
    """Send a test event and wait for the answer. A disabled webhook is enabled.

    Example: maumau webhook test hook_06f3k
    """
    with place.connect_arena(arena) as link:
        sent = link.test_webhook(webhook_id)
        found, delivery = _await_delivery(link, webhook_id, sent)
    if as_json:
        json_line({"delivery": delivery, "problem": found.webhook.problem})
    if delivery is None or not delivery.delivered_at:
        words = found.webhook.problem or "nothing was sent yet"
        raise NotDelivered(f"Not delivered: {words}. The arena goes on trying.")
    if not as_json:
        answered = f"answered {delivery.status}" if delivery.status else "took it"
        show(f"{found.webhook.url} {answered}")


@app.command(name="remove")
def remove_webhook(webhook_id: Id, *, yes: Yes = False, arena: Where = None, as_json: Json = False) -> None:
    """Remove one of your webhooks, with its waiting events.

    Example: maumau webhook remove hook_06f3k
    """
    ask_first(f"Remove {webhook_id} for good?", yes=yes)
    with place.connect_arena(arena) as link:
        link.delete_webhook(webhook_id)
    if as_json:
        json_line({"removed": webhook_id})
    else:
        show(f"removed {webhook_id}")


def _await_delivery(
    link: Arena, webhook_id: str, sent: str
) -> tuple[answer.GetWebhookResponse, answer.Delivery | None]:
    """Return the webhook once the delivery was attempted, or after some seconds as it is."""
    import time

    end = time.monotonic() + WAIT_SECONDS
    while True:
        found = link.webhook(webhook_id)
        delivery = next((one for one in found.deliveries if one.id == sent), None)
        if time.monotonic() > end or found.webhook.problem or (delivery and delivery.attempts):
            return found, delivery
        time.sleep(0.2)


def _describe_state(hook: answer.Webhook) -> str:
    if hook.confirm_until:
        return f"unconfirmed; the link in the mail holds until {_time(hook.confirm_until)}"
    if hook.disabled_at:
        return f"disabled since {_time(hook.disabled_at)}: {hook.problem}"
    if hook.failing_since:
        return f"failing since {_time(hook.failing_since)}: {hook.problem}"
    return "active"


def _time(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S %Z}" if moment else "-"
