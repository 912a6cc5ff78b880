import { rewriteParts } from "./body/rewrite-parts.ts";
import { testWholeMessages } from "./whole-message-cost.testing.ts";

testWholeMessages({
  *"parts of an answer"(message) {
    yield () => rewriteParts({ ...message, token: "abcdefgh", domain: "kauke.test" });
  },
});
