import { expect, it } from "vitest";
import { bindAndExecute } from "./bind-message.ts";

const hex = (...parts: string[]) => parts.join("").replaceAll(" ", "");

it("a statement with a text, bytes and null is bound, executed and synced", () => {
  const message = bindAndExecute("s_1", ["é", Buffer.from([1, 0]), null]).toString("hex");
  expect(message).toBe(
    hex(
      "42 00000025 00 735f31 00", // Bind to the unnamed portal: s_1
      "0003 0000 0001 0000", // formats: text, bytes, text
      "0003 00000002 c3a9 00000002 0100 ffffffff",
      "0000", // results as text
      "45 00000009 00 00000000", // Execute of the unnamed portal, all rows
      "53 00000004", // Sync
    ),
  );
});

it("a statement without values is bound too", () => {
  expect(bindAndExecute("s", []).toString("hex")).toBe(
    hex("42 0000000d 00 73 00 0000 0000 0000", "45 00000009 00 00000000", "53 00000004"),
  );
});
