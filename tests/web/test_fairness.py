"""The page with the two reports: for a contest's organiser alone, in both languages."""

import pytest

pytestmark = pytest.mark.long
SHORT = 'name = "{}"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n[match]\nblock = 40\ncap = 40\n'


def test_its_organiser_reads_both_reports_and_nobody_else(house) -> None:
    client, _, visitor = house.organiser()
    services = house.services
    name = client.create(SHORT.format("cup-of-copies")).name
    client.open(name)
    for bot in services.field("first", "random", "first"):
        services.enter(name, bot)
    path = f"/me/contests/{name}"
    assert "Fair play" not in visitor.get(path).words
    assert "once deals have been played" in visitor.get(f"{path}/fairness").words
    client.start(name)
    services.finish(name)
    assert f'href="{path}/fairness"' in visitor.get(path).text
    page = visitor.get(f"{path}/fairness")
    assert page.status == 200
    assert "Who helps whom How much more a bot wins" in page.words
    assert "100.0 %" in page.words
    assert "named" in page.words
    assert "Wer hilft wem?" in visitor.get(f"{path}/fairness?lang=de").words
    _, _, author = house.author()
    assert author.get(f"{path}/fairness").status == 403
    _, _, other = house.organiser()
    assert other.get(f"{path}/fairness").status == 403
    assert house.visitor().get(f"{path}/fairness").status in {302, 303, 401}
