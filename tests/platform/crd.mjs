// Reads Kubernetes objects as a JSON list and prints, a line each, what the published schema of their kind refuses.
// A field that the schema's validator never looks at is one that a cluster would drop: it is misspelt, or new.
import { readFileSync } from "node:fs";

const PACKAGES = {
  "gateway.networking.k8s.io": "gateway-api",
  "keda.sh": "keda",
  "monitoring.coreos.com": "prometheus-operator",
};

function watch(value, path, unseen) {
  if (value === null || typeof value !== "object") return value;
  const watched = Array.isArray(value)
    ? value.map((each, index) => watch(each, `${path}/${index}`, unseen))
    : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, watch(each, `${path}/${key}`, unseen)]));
  if (Array.isArray(value)) return watched;
  for (const key of Object.keys(value)) unseen.add(`${path}/${key}`);
  return new Proxy(watched, {
    get(target, key) {
      unseen.delete(`${path}/${String(key)}`);
      return target[key];
    },
  });
}

for (const object of JSON.parse(readFileSync(0, "utf8"))) {
  const [group] = object.apiVersion.split("/");
  const module = `@kubernetes-models/${PACKAGES[group]}/${object.apiVersion}/${object.kind}`;
  const unseen = new Set();
  const model = new (await import(module))[object.kind]({});
  Object.assign(model, watch(object, "", unseen));
  try {
    model.validate();
  } catch (error) {
    console.log(`${object.kind} ${object.metadata.name}: ${error.message}`);
  }
  for (const path of unseen) console.log(`${object.kind} ${object.metadata.name}: ${path} is not in its schema`);
}
