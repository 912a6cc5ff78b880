import { testWholeMessages } from "@kauke/mail-rfc/whole-message-cost.testing";
import { mimeLeaves } from "./mime-leaves.ts";
import { UnsearchableError } from "./unpack/unpack-limits.ts";

/** Milliseconds for splitting a message: more than a turn of the event loop, since the guard has its own process. */
const LEAVES_MS = process.env.LONG_ROUNDS === "1" ? 1500 : 750;

testWholeMessages(
  {
    *"parts that the leak guard searches"({ header, body }) {
      yield () => {
        try {
          for (const leaf of mimeLeaves(Buffer.concat([header, Buffer.from("\r\n"), body])))
            if (leaf.part === "?") return;
        } catch (thrown) {
          if (!(thrown instanceof UnsearchableError)) throw thrown;
        }
      };
    },
  },
  LEAVES_MS,
);
