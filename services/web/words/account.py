"""What the pages of those who have logged in say, in English and German."""

from typing import Final

WORDS: Final[dict[str, tuple[str, str]]] = {
    "me": ("My arena", "Meine Arena"),
    "log_in": ("Log in", "Anmelden"),
    "log_out": ("Log out", "Abmelden"),
    "login_says": (
        "This command prints a code. It holds for a minute, and once:",
        "Dieser Befehl gibt einen Code aus. Er gilt eine Minute lang und einmal:",
    ),
    "code": ("Code", "Code"),
    "login_wrong": (
        "This code was used, is older than a minute, or has a typing error. A new one is printed by:",
        "Dieser Code wurde schon benutzt, ist älter als eine Minute oder enthält einen Tippfehler. Einen neuen gibt aus:",
    ),
    "no_account": ("No account yet?", "Noch kein Konto?"),
    "no_account_says": (
        "It is opened by the command line, which also runs your bot at home:",
        "Es wird auf der Kommandozeile eröffnet, die deinen Bot auch zu Hause spielen lässt:",
    ),
    "logged_in_as": ("Logged in as {name}", "Angemeldet als {name}"),
    "logged_in_until": ("until {day}", "bis {day}"),
    "my_bots": ("My bots", "Meine Bots"),
    "no_own_bots": ("You have no bot yet.", "Du hast noch keinen Bot."),
}
