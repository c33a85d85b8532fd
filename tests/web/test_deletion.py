"""An account is deleted at the page: its name is typed, and the session ends with it."""

from __future__ import annotations

import pytest

from maumau.errors import MaumauError, NameTaken, NotAllowed, RevokedToken, WrongState
from services.web.delivery.render import tell_refusal
from services.web.words import TONGUES
from tests.web.visitor import House


@pytest.mark.long
def test_an_account_is_deleted_by_typing_its_name(house: House) -> None:
    client, name, visitor = house.author()
    other, _, _ = house.author()
    assert "/me/delete" in visitor.get("/me").text
    page = visitor.get("/me/delete?lang=de")
    assert f"Gib zur Bestätigung {name} ein" in page.words
    refused = visitor.send("/me/delete", "/me/delete", {"name": f"{name}x"})
    assert refused.status == 400
    assert "Es wurde nichts gelöscht: Dein Konto heißt anders." in refused.words
    assert client.who().account_name == name
    fields = {**visitor.hidden("/me/delete", "/me/delete"), "name": name}
    done = visitor.post("/me/delete", fields)
    assert (done.status, done.headers["location"]) == (303, "/")
    with pytest.raises(RevokedToken):
        client.who()
    assert visitor.post("/me/delete", fields).status == 303  # a second click leads to the login
    assert visitor.get("/me").status == 303
    assert other.who()


def test_the_only_owner_of_a_team_is_told_at_the_page_what_to_do_first(house: House) -> None:
    client, name, visitor = house.author()
    client.create_team(f"team-{name[-8:]}")
    refused = visitor.send("/me/delete", "/me/delete", {"name": name})
    assert refused.status == 409
    assert "maumau team dissolve" in refused.text
    visitor.get("/me/delete?lang=de")
    assert (
        "löse das Team auf. Dann lösche das Konto."
        in visitor.send("/me/delete", "/me/delete", {"name": name}).words
    )
    assert client.who().account_name == name


@pytest.mark.parametrize(
    ("error", "words", "german"),
    [
        (WrongState, "ada is the only organiser of the group club: `maumau group add …", "Gruppe club"),
        (WrongState, "The workers of the host red have a token of ada: another admin …", "Rechners red"),
        (NotAllowed, "This token was made by another one of ada, such as for a CI, …", "abgeleiteten Token"),
        (NotAllowed, "This token lacks the scope admin, which another token of ada has: …", "Recht admin"),
        (
            NameTaken,
            "The account ada was deleted; its name is not given out again. Choose another name.",
            "Das Konto ada wurde gelöscht; sein Name wird nicht wieder vergeben.",
        ),
    ],
)
def test_refusals_about_deletions_are_in_the_language_of_the_page(
    error: type[MaumauError], words: str, german: str
) -> None:
    told = str(tell_refusal(TONGUES["de"], error(words)))
    assert german in told
    assert "<span lang" not in told
