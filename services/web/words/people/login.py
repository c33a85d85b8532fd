"""Texts of logins at a provider and of links in mails, and German for what is refused there. Pure."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "oidc_title": "With another account",
    "oidc_at": "Log in with {provider}",
    "oidc_goes_on": "You are logged in there. Taking you back to the arena.",
    "oidc_go_on": "Continue",
    "oidc_new": "A new account",
    "oidc_new_says": "{provider} knows you; this arena does not yet. Choose a name for your account.",
    "oidc_closed": "In this arena, only admins open accounts.",
    "oidc_code_optional": "Code (if you have one)",
    "oidc_have": "Already have an account here?",
    "oidc_have_says": "Log in with a code as before, then add this login under “My logins”.",
    "oidc_logins": "My logins",
    "oidc_logins_say": "With {provider} you can log in without a code. `maumau token list` shows each login, and revoking it there ends it.",
    "oidc_none": "There is none yet.",
    "oidc_offered": "{name} at {provider}, for the account {account}",
    "oidc_link": "Add this login",
    "oidc_begin_link": "Add a login with {provider}",
    "mail_confirm": "Confirm your mail address",
    "mail_confirm_says": "From then on, the arena sends the requested news to your address.",
    "mail_confirm_do": "Confirm",
    "mail_confirm_done": "{address} is confirmed.",
    "mail_stop": "No more mails",
    "mail_stop_says": "From then on, the arena sends none of this news to your address.",
    "mail_stop_do": "Unsubscribe",
    "mail_stop_done": "{address} gets no more of these mails.",
}

PATTERNS: Final = (
    (
        r"This login took too long, or began in another browser\. Log in once more\.",
        "Diese Anmeldung hat zu lange gedauert oder in einem anderen Browser begonnen. Melde dich noch einmal an.",
    ),
    (r"The provider has not logged you in\.", "Der Anbieter hat dich nicht angemeldet."),
    (
        r"The answer comes from another provider than the arena's\.",
        "Die Antwort kommt von einem anderen Anbieter als dem der Arena.",
    ),
    (r"The provider's answer has no ID token\.", "In der Antwort des Anbieters fehlt das ID-Token."),
    (r"The provider's ID token cannot be read\.", "Das ID-Token des Anbieters ist nicht lesbar."),
    (
        r"The provider does not accept the code; it was used, or is too old\. Log in once more\.",
        "Der Anbieter nimmt den Code nicht an; er wurde schon benutzt oder ist zu alt. Melde dich noch einmal an.",
    ),
    (
        r"The provider does not accept this arena; its operator can check its id and secret there\.",
        "Der Anbieter nimmt diese Arena nicht an; wer sie betreibt, kann dort Kennung und Geheimnis prüfen.",
    ),
    (
        r"The provider calls itself otherwise than the arena's settings do\.",
        "Der Anbieter nennt sich anders, als die Arena ihn kennt.",
    ),
    (
        r"The provider's description of itself is incomplete\.",
        "Was der Anbieter über sich angibt, ist unvollständig.",
    ),
    (
        r"The provider's answer has expired\. Log in once more\.",
        "Die Antwort des Anbieters ist abgelaufen. Melde dich noch einmal an.",
    ),
    (
        r"The provider's answer is not meant for this login: its claim (\w+) is wrong or missing\.",
        r"Die Antwort des Anbieters gilt nicht dieser Anmeldung: Die Angabe \1 fehlt oder ist falsch.",
    ),
    (
        r"The signature of the provider's answer is not valid\.",
        "Die Signatur der Antwort des Anbieters ist ungültig.",
    ),
    (
        r"This login has been ended, or its account is shut out; an admin of the arena can let you in again\.",
        "Diese Anmeldung wurde beendet, oder das Konto ist gesperrt; ein Admin der Arena kann dich wieder hereinlassen.",
    ),
    (
        r"This login at the provider already belongs to an account of the arena\.",
        "Diese Anmeldung beim Anbieter gehört schon zu einem Konto der Arena.",
    ),
)
"""Patterns of why a login is refused."""
