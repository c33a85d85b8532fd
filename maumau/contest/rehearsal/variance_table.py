"""The variance of a deal set's score between house bots of similar strength, at two seats.

Written by `python -m bench.statistics.set_variance`, 2 pairs of 700 sets a variant.
"""

from typing import Final

VARIANCES: Final[dict[str, tuple[float, float]]] = {
    "app": (0.077, 0.0069),
    "crocodile": (0.074, 0.0058),
    "czech_fool": (0.074, 0.0058),
    "faraon": (0.104, 0.013),
    "haft_khabis": (0.096, 0.0051),
    "mau_mau": (0.084, 0.0059),
    "neuner": (0.082, 0.0051),
    "one_oh_one": (0.078, 0.0086),
    "pesten": (0.110, 0.009),
    "pharaoh_ru": (0.074, 0.0058),
    "prsi": (0.056, 0.0049),
    "prsi_quick": (0.078, 0.0074),
    "puque": (0.079, 0.0034),
    "schweizer": (0.089, 1.3e-05),
    "schweizer_2016": (0.091, 1.5e-05),
    "shop_basic": (0.085, 0.0086),
    "shop_extended": (0.096, 0.0099),
    "tschau_sepp": (0.075, 0.0042),
}
"""By variant, with its own options: where deals are won or lost, and where points count."""
