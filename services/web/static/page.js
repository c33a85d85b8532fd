// Brings a page to life.

import { askAgain } from "./again.js";
import { keepChoices } from "./choice.js";
import { follow } from "./follow.js";
import { openInPlace } from "./inplace.js";
import { sendOnce } from "./once.js";
import { checkSpec } from "./spec.js";
import { followStrips } from "./strip.js";
import { countDown } from "./until.js";

keepChoices();
const stop = document.body.dataset.stream ? follow(document.body) : () => {};
openInPlace(document, stop);
const spec = document.getElementById("spec-form");
if (spec) checkSpec(spec);
askAgain(document);
sendOnce(document);
followStrips(document);
countDown(document);
