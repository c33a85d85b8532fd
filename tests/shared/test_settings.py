"""Settings are read once, and a value that cannot be is said in words."""

import dataclasses
from pathlib import Path

import pytest

from maumau.errors import BadSetting
from services.shared.base.settings import Settings, unknown


def test_an_empty_environment_gives_the_embedded_defaults():
    settings = Settings.read({})
    assert (settings.data, settings.listen, settings.lease) == (Path(".maumau"), "127.0.0.1:0", 60.0)
    assert settings.open


def test_a_service_told_nothing_plays_in_bwrap_or_not_at_all_and_takes_everybodys_programs():
    settings = Settings.read({})
    assert (settings.sandbox, settings.house_only) == ("bwrap", False)


def test_where_no_sandbox_holds_programs_only_those_of_the_house_play_unless_it_is_said():
    assert Settings.read({"MAUMAU_SANDBOX": "process"}).house_only
    assert not Settings.read({"MAUMAU_SANDBOX": "process", "MAUMAU_UPLOADS": "trusted"}).house_only


def test_each_setting_is_read_from_its_variable():
    settings = Settings.read({"MAUMAU_LEASE": "2.5", "MAUMAU_LISTEN": "[::1]:7000", "MAUMAU_DATA": "/x"})
    assert (settings.lease, settings.host, settings.data) == (2.5, "[::1]", Path("/x"))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("LISTEN", "50051", "HOST:PORT"),
        ("LISTEN", "host:99999", "HOST:PORT"),
        ("LEASE", "soon", "a number of seconds from 0.1 to 3600"),
        ("LEASE", "nan", "a number of seconds"),
        ("ATTEMPTS", "0", "a whole number from 1"),
        ("ATTEMPTS", "٣", "a whole number from 1"),
        ("SANDBOX", "docker", "auto, process, bwrap"),
        ("UPLOADS", "none", "all, house, trusted"),
        ("QUOTA_BOTS", "0", "MAUMAU_REGISTRATION=closed"),
        ("QUOTA_MIB", "-1", "a whole number from 1"),
        ("QUOTA_ACCOUNTS_HOUR", "0", "MAUMAU_REGISTRATION=closed"),
        ("PROXIES", "proxy.example", "a list of addresses and networks"),
        ("REGISTRATION", "yes", "open, code, closed"),
        ("DATABASE_URL", "mysql://x", "sqlite:// or postgresql://"),
        ("BROKER_URL", "amqp://x", "redis://"),
        ("SERVICES_URL", "arena.example", "ports of registry, tournament, engine and match"),
        ("SERVICES_URL", "http://arena.example:7101", "ports of registry, tournament, engine and match"),
        ("SERVICES_URL", "https://arena.example:1,2", "ports of registry, tournament, engine and match"),
        ("SERVICES_URL", "http://x:1,2,3,99999", "ports of registry, tournament, engine and match"),
        ("SERVICES_URL", "https://x/y", "ports of registry, tournament, engine and match"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_what_can(name, value, words):
    with pytest.raises(BadSetting, match=f"MAUMAU_{name} .*cannot be.*{words}"):
        Settings.read({f"MAUMAU_{name}": value})


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("https://Arena.example/", "https://arena.example"),
        ("https://arena.example:8443", "https://arena.example:8443"),
        ("http://arena.example", "http://arena.example"),
        ("http://[fd00::7]:7101,7102,7103,7104", "http://[fd00::7]:7101,7102,7103,7104"),
    ],
)
def test_the_address_of_the_services_is_one_that_commands_take(given, read):
    assert Settings.read({"MAUMAU_SERVICES_URL": given}).services_url == read


def test_no_secret_is_shown():
    secret = "mm_" + "s" * 20
    settings = Settings.read(
        {"MAUMAU_ADMIN_TOKEN": secret, "MAUMAU_DATABASE_URL": f"postgresql://u:{secret}@h/d"}
    )
    assert secret not in repr(settings)
    with pytest.raises(BadSetting) as refused:
        Settings.read({"MAUMAU_WORKER_TOKEN": "short-secret"})
    assert "short-secret" not in str(refused.value)


def test_settings_do_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings.read({}).lease = 1.0


def test_a_misspelt_setting_is_named_with_the_one_meant():
    said = unknown({"MAUMAU_REDIS_ULR": "x", "MAUMAU_LEASE": "1", "MAUMAU_ARENA": "x", "PATH": "x"})
    assert said == ["MAUMAU_REDIS_ULR is not a setting; MAUMAU_REDIS_URL is one."]


def test_what_a_service_needs_and_has_not_is_said():
    with pytest.raises(BadSetting, match="MAUMAU_BROKER_URL is not set"):
        Settings.read({}).need("broker_url")


def test_each_service_has_a_database_file_of_its_own():
    settings = Settings.read({"MAUMAU_DATA": "/data"})
    assert settings.database("registry") == "sqlite:////data/registry.db"
    given = Settings.read({"MAUMAU_DATABASE_URL": "postgresql://host/arena"})
    assert given.database("registry") == "postgresql+psycopg://host/arena"


@pytest.mark.parametrize(
    ("listen", "registration", "is_open"),
    [
        ("127.0.0.1:1", "", True),
        ("localhost:1", "", True),
        ("[::1]:1", "", True),
        ("0.0.0.0:1", "", False),
        ("arena.example:1", "", False),
        ("0.0.0.0:1", "open", True),
        ("127.0.0.1:1", "closed", False),
    ],
)
def test_accounts_are_open_to_all_only_where_nobody_else_can_come(listen, registration, is_open):
    settings = Settings.read({"MAUMAU_LISTEN": listen, "MAUMAU_REGISTRATION": registration})
    assert settings.open is is_open
