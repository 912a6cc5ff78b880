import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryBudget } from "../../limits/bytes.ts";
import { DataReader, type DataResult } from "./session-input.ts";

const roomy = () => new MemoryBudget(1e9);

/** Feeds the text in chunks split at `cuts`; returns the result and the bytes left over. */
function read(text: string, cuts: readonly number[] = [], maxBytes = 1e6, budget = roomy()) {
  const bytes = Buffer.from(text, "latin1");
  const reader = new DataReader(maxBytes, budget);
  const edges = [0, ...cuts.filter((cut) => cut > 0 && cut < bytes.length).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < edges.length; i++) {
    const done = reader.push(bytes.subarray(edges[i - 1], edges[i]));
    if (done === null) continue;
    const left = bytes.toString("latin1", (edges[i - 1] as number) + done.consumed);
    return { result: done.result, left, reader };
  }
  return null;
}

const textOf = (result: DataResult | undefined) =>
  result?.kind === "message" ? result.bytes.toString("latin1") : result?.kind;

test("a message ends at CRLF, dot, CRLF, and the bytes after it belong to the next command", () => {
  const done = read("Subject: a\r\n\r\nb\r\n.\r\nQUIT\r\n");
  expect(textOf(done?.result)).toBe("Subject: a\r\n\r\nb\r\n");
  expect(done?.left).toBe("QUIT\r\n");
});

test("a lone dot right away is an empty message", () => {
  expect(textOf(read(".\r\n")?.result)).toBe("");
});

test("stuffed dots stay unchanged", () => {
  expect(textOf(read("..\r\n..b\r\n.\r\n")?.result)).toBe("..\r\n..b\r\n");
});

test("the message does not depend on how the bytes are split into chunks", () => {
  const chunk = fc.constantFrom("\r\n", "..", "a", "x\r\n", "\r\n..\r\n", "line of text\r\n");
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 12 }), fc.array(fc.nat(120), { maxLength: 8 }), (pieces, cuts) => {
      const body = `${pieces
        .join("")
        .replace(/^\.(?!\.)/gm, "..")
        .replace(/\r\n\.(?!\.)/g, "\r\n..")}\r\n`;
      const done = read(`${body}.\r\nNOOP\r\n`, cuts);
      expect(done === null ? null : textOf(done.result)).toBe(body);
    }),
    { numRuns: 1000 },
  );
});

test("what is rejected does not depend on how the bytes are split into chunks", () => {
  const piece = fc.constantFrom("\r\n", "\r", "\n", ".", "\0", "a", "longer text", "\n.", "\r.");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 8 }), (pieces, cuts) => {
      const text = `${pieces.join("")}\r\n.\r\n`;
      fc.pre(`\r\n${text}`.indexOf("\r\n.\r\n") === text.length - 3);
      expect(textOf(read(text, cuts)?.result)).toBe(textOf(read(text)?.result));
    }),
    { numRuns: 5000 },
  );
});

const smuggled = ["\n.\n", "\n.\r\n", "\r.\r\n", "\r\n.\n", "\r.\r", "\r\n.\rX", "\n.X"];

test.each(smuggled)("%j neither ends a message nor is accepted inside it", (variant) => {
  const text = `a${variant}MAIL FROM:<evil@example.org>\r\n.\r\n`;
  for (let cut = 1; cut < text.length; cut++) expect(textOf(read(text, [cut])?.result)).toBe("smuggling");
});

test("a bare line feed without a dot is accepted", () => {
  expect(textOf(read("a\nb\r\n.\r\n")?.result)).toBe("a\nb\r\n");
});

test("a message that is too large is read to its end, but not stored", () => {
  const budget = roomy();
  const done = read(`${"x".repeat(500)}\r\n.\r\nRSET\r\n`, [100, 200, 300], 400, budget);
  expect(done?.result.kind).toBe("too_large");
  expect(done?.left).toBe("RSET\r\n");
  expect(budget.usedBytes).toBe(0);
});

test("a message of exactly the maximum size is accepted", () => {
  expect(read(`${"x".repeat(98)}\r\n.\r\n`, [], 100)?.result.kind).toBe("message");
  expect(read(`${"x".repeat(99)}\r\n.\r\n`, [], 100)?.result.kind).toBe("too_large");
});

test("over the memory budget nothing is stored or counted", () => {
  const budget = new MemoryBudget(300);
  const done = read(`${"x".repeat(500)}\r\n.\r\n`, [100, 200, 300, 400], 1000, budget);
  expect(done?.result.kind).toBe("over_budget");
  expect(budget.usedBytes).toBe(0);
});

test("a message counts in the budget until it is released", () => {
  const budget = roomy();
  const done = read("abc\r\n.\r\n", [2], 1000, budget);
  expect(budget.usedBytes).toBe(8);
  done?.reader.release();
  expect(budget.usedBytes).toBe(0);
});

/** More lines that start with a dot than `DataReader` searches one by one. */
const manyDots = "..\r\n".repeat(200);

test.each([
  ["a dot after a bare line feed", "a\n.b\r\n", "smuggling"],
  ["a dot after a bare carriage return", "a\r.b\r\n", "smuggling"],
  ["a lone dot that ends in a bare line feed", ".\nb\r\n", "smuggling"],
  ["a lone dot that ends in a bare carriage return", ".\rb\r\n", "smuggling"],
  ["dots that were doubled", "..b\r\n", "message"],
])("after many dots, %s is recognized as elsewhere", (_, end, kind) => {
  for (const cuts of [[], [800], [801], [802], [803], [804]]) {
    expect(read(`${end}.\r\n`)?.result.kind).toBe(kind);
    expect(read(`${manyDots}${end}.\r\n`, cuts, 10_000)?.result.kind).toBe(kind);
  }
});
