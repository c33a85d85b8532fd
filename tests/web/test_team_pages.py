"""Teams at the page: founded, joined by a code, left; and what the search tells whom."""

from __future__ import annotations

import re

import pytest

from tests.web.test_group_pages import new_name, spec
from tests.web.visitor import House

CODE = re.compile(r"<code>([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3})</code>")


@pytest.mark.long
def test_a_team_is_founded_joined_and_left_at_the_page(house: House) -> None:
    (ada, ada_name, owner), (grace, _, other) = house.author(), house.author()
    team = new_name("team")
    assert owner.send("/me/team", "/me/team/create", {"name": team}).status == 303
    assert team in owner.get("/me/team").text
    assert team in owner.get("/me").text
    shown = owner.send("/me/team", "/me/team/invite", {"account": ""})
    code = CODE.search(shown.text)
    assert code
    assert other.send("/me/team", "/me/team/join", {"code": code[1]}).status == 303
    assert grace.who().team_name == team
    assert "/me/team/dissolve" not in other.get("/me/team").text
    refused = owner.send("/me/team", "/me/team/leave")
    assert refused.status == 409
    assert "promote" in refused.text
    assert other.post("/me/team/promote", {"account": ada_name}).status == 403
    assert other.send("/me/team", "/me/team/leave").status == 303
    assert grace.who().team_name == ""
    assert owner.send("/me/team", "/me/team/dissolve").status == 303
    assert ada.who().team_name == ""
    assert house.visitor().get(f"/authors/{team}").status == 404
    assert house.visitor().get("/me/team").status == 303


def test_an_invitation_is_refused_at_the_page(house: House) -> None:
    (ada, _, _), (grace, name, visitor) = house.author(), house.author()
    team = new_name("team")
    ada.create_team(team)
    ada.invite_to_team(name)
    assert team in visitor.get("/me/team").text
    visitor.send("/me/team", "/me/team/end")
    assert grace.list_team_invitations() == ()
    assert grace.who().team_name == ""


def test_a_search_finds_a_groups_contest_for_its_members_alone(house: House) -> None:
    group, name = new_name("class"), new_name("cup")
    house.services.admin.create_invitations(group, 1)
    teacher, account, member = house.author()
    house.services.admin.set_member(group, account, "organiser")
    teacher.create(spec(name, "group", group))
    _, _, author = house.author()
    for stranger in (house.visitor(), author):
        hidden, never = (stranger.get(f"/search?q={one}") for one in (name, f"{name[:-4]}zzzz"))
        assert hidden.status == never.status == 200
        assert hidden.text.replace(name, "X") == never.text.replace(f"{name[:-4]}zzzz", "X")
        assert f"/contests/{name}" not in hidden.text
    assert f"/contests/{name}" in member.get(f"/search?q={name}").text
