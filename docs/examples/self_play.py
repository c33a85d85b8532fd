"""Train a policy for two players by self-play, with numpy alone, and write it as a bot's folder.

    python docs/examples/self_play.py --minutes 10 --out my-bot

docs/tutorial/train.md explains each part. A network with one hidden layer sees the flat observation; it is
trained by PPO on its own deals, in which it plays both seats. The bot that comes out is plain Python.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from maumau.env import VectorEnv, vector_env

HIDDEN, TABLES, STEPS = 64, 512, 64
EPOCHS, BATCH, CLIP, ENTROPY, LAMBDA = 2, 4096, 0.2, 0.01, 0.95
RATE = 2e-3
FIELDS = ("ask", "hand", "pile", "top", "wish", "owed", "skips", "stock", "counts", "put", "shown")
SCALE = {"owed": 4.0, "stock": 16.0, "counts": 5.0}
BOT = Path(__file__).with_name("self_play_bot.py")


class Network:
    """Weights, and the logits and value that they give; `update` takes a step of Adam."""

    def __init__(self, inputs: int, actions: int, rng: np.random.Generator) -> None:
        self.weights = {
            "w": rng.normal(0, 1 / np.sqrt(16), (inputs, HIDDEN)),
            "b": np.zeros(HIDDEN),
            "policy": rng.normal(0, 0.01, (HIDDEN, actions)),
            "bias": np.zeros(actions),
            "value": rng.normal(0, 0.1, (HIDDEN, 1)),
            "level": np.zeros(1),
        }
        self.weights = {name: value.astype(np.float32) for name, value in self.weights.items()}
        self.first = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self.second = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self.updates = 0

    def run(self, x: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the hidden layer, the probabilities of possible actions, and the values."""
        w = self.weights
        hidden = np.maximum(x @ w["w"] + w["b"], 0)
        logits = np.where(masks, hidden @ w["policy"] + w["bias"], -1e9)
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.exp(logits)
        return hidden, odds / odds.sum(axis=1, keepdims=True), np.tanh(hidden @ w["value"] + w["level"])[:, 0]

    def update(self, slopes: dict[str, np.ndarray], rate: float) -> None:
        self.updates += 1
        for name, slope in slopes.items():
            self.first[name] += 0.1 * (slope - self.first[name])
            self.second[name] += 0.001 * (slope * slope - self.second[name])
            first = self.first[name] / (1 - 0.9**self.updates)
            second = self.second[name] / (1 - 0.999**self.updates)
            self.weights[name] -= (rate * first / (np.sqrt(second) + 1e-8)).astype(np.float32)


class Trainer:
    """Self-play at many tables, and what is learned from it."""

    def __init__(self, name: str = "mau_mau", seed: int = 1, tables: int = TABLES) -> None:
        self.env: VectorEnv = vector_env(name, 2, num_envs=tables)
        self.rng = np.random.default_rng(seed)
        fields = {field: part for field, part in self.env.encoder.fields.items() if field in FIELDS}
        self.columns = np.concatenate([np.arange(part.start, part.stop) for part in fields.values()])
        sizes = {field: part.stop - part.start for field, part in fields.items()}
        self.scale = np.concatenate([np.full(size, SCALE.get(field, 1)) for field, size in sizes.items()])
        self.scale = self.scale.astype(np.float32)
        self.sizes = sizes
        self.network = Network(len(self.columns), self.env.num_actions, self.rng)
        self.now = self.env.reset(seed)
        self.deals = 0

    def inputs(self) -> np.ndarray:
        return self.now.observations[:, self.columns] / self.scale

    def collect(self) -> dict[str, np.ndarray]:
        """Play on for some steps, and return every decision with the result that it led to."""
        kept: dict[str, list[np.ndarray]] = {name: [] for name in ("x", "mask", "action", "chance", "value")}
        ended, results, signs = [], [], []
        for _ in range(STEPS):
            x, masks = self.inputs(), self.now.masks.astype(bool)
            _, chances, values = self.network.run(x, masks)
            drawn = self.rng.random((len(x), 1), dtype=np.float32)
            actions = np.minimum((chances.cumsum(axis=1) < drawn).sum(axis=1), len(masks[0]) - 1)
            actions = np.where(masks[np.arange(len(x)), actions], actions, chances.argmax(axis=1))
            chance = chances[np.arange(len(x)), actions]
            for key, value in zip(kept, (x, masks, actions, chance, values), strict=True):
                kept[key].append(value)
            signs.append(1 - 2 * self.now.seats)
            self.now = self.env.step(actions)
            ended.append(self.now.ended)
            results.append(self.now.rewards[:, 0])
            self.deals += int(self.now.ended.sum())
        value = self.network.run(self.inputs(), self.now.masks.astype(bool))[2] * (1 - 2 * self.now.seats)
        kept["gain"] = self._trace_back(kept["value"], signs, ended, results, value)
        return {name: np.concatenate(rows) for name, rows in kept.items()}

    def _trace_back(self, values, signs, ended, results, after) -> list[np.ndarray]:
        """Return the lambda return of each decision, as the seat sees it that made it."""
        gain, traced = after, []
        for at in range(STEPS - 1, -1, -1):
            gain = np.where(ended[at], results[at], (1 - LAMBDA) * after + LAMBDA * gain)
            after = values[at] * signs[at]
            traced.append((gain * signs[at]).astype(np.float32))
        return traced[::-1]

    def learn(self, played: dict[str, np.ndarray], rate: float) -> None:
        """Take some steps of PPO on these decisions."""
        worth = played["gain"] - played["value"]
        played["worth"] = (worth - worth.mean()) / (worth.std() + 1e-6)
        for _ in range(EPOCHS):
            order = self.rng.permutation(len(worth))
            for start in range(0, len(order), BATCH):
                part = order[start : start + BATCH]
                self.network.update(self._slopes({name: rows[part] for name, rows in played.items()}), rate)

    def _slopes(self, played: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        x, count, w = played["x"], len(played["x"]), self.network.weights
        hidden, chances, values = self.network.run(x, played["mask"])
        lines = np.arange(count)
        ratio = chances[lines, played["action"]] / played["chance"]
        worth = played["worth"]
        beyond = ((worth > 0) & (ratio > 1 + CLIP)) | ((worth < 0) & (ratio < 1 - CLIP))
        pull = np.where(beyond, 0, worth * ratio) / count
        logits = chances * pull[:, None]
        logits[lines, played["action"]] -= pull
        logs = np.log(chances + 1e-9)
        spread = (chances * logs).sum(axis=1, keepdims=True)
        logits += ENTROPY / count * chances * (logs - spread)
        level = ((values - played["gain"]) * (1 - values**2) / count)[:, None]
        back = (logits @ w["policy"].T + level @ w["value"].T) * (hidden > 0)
        return {
            "w": x.T @ back, "b": back.sum(axis=0), "policy": hidden.T @ logits, "bias": logits.sum(axis=0),
            "value": hidden.T @ level, "level": level.sum(axis=0),
        }  # fmt: skip

    def train(self, minutes: float, tell: float = 30) -> None:
        """Train for so long; the learning rate falls to nothing."""
        begun = told = time.monotonic()
        while (spent := (time.monotonic() - begun) / 60) < minutes:
            self.learn(self.collect(), RATE * max(0.02, 1 - spent / minutes))
            if time.monotonic() - told > tell:
                told = time.monotonic()
                print(f"{spent:.1f} minutes, {self.deals:,} deals", flush=True)

    def export(self, folder: Path, digits: int = 3) -> None:
        """Write the bot: its program, its manifest, and the weights as JSON."""
        folder.mkdir(parents=True, exist_ok=True)
        w = {
            name: np.round(value.astype(float), digits).tolist()
            for name, value in self.network.weights.items()
        }
        choices = self.env.choices
        known = {
            "actions": choices.names, "cards": self.env.encoder.cards, "sizes": self.sizes, "scale": SCALE,
            "w": w["w"], "b": w["b"], "policy": np.array(w["policy"]).T.tolist(), "bias": w["bias"],
        }  # fmt: skip
        (folder / "policy.json").write_text(json.dumps(known, separators=(",", ":")))
        (folder / "bot.py").write_text(BOT.read_text())
        rules = self.env.rules.name
        (folder / "bot.toml").write_text(
            f'name = "{folder.name}"\nrun = ["python3", "bot.py"]\nruntime = "python"\n'
            f'rules = ["{rules}"]\nseats = [2]\nconcurrent = 64\n'
        )


def main() -> None:
    """Train and write the bot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="mau_mau")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("self-play"))
    given = parser.parse_args()
    trainer = Trainer(given.rules, given.seed)
    trainer.train(given.minutes)
    trainer.export(given.out)
    print(f"{trainer.deals:,} deals; now `maumau duel {given.out} greedy --rules {given.rules}`")


if __name__ == "__main__":
    main()
