import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { Downloads } from "./downloads.ts";
import { jsonChunks } from "./json-chunks.ts";

/** Starts a download by a client with the address `from`. Nothing is transferred until the test reads the stream. */
function begin(downloads: Downloads, { userId, from }: { userId: string; from: string }) {
  const raw = Object.assign(new EventEmitter(), {
    isEnded: false,
    destroy: () => {
      raw.isEnded = true;
      raw.emit("close");
    },
  });
  async function* pages(): AsyncGenerator<readonly string[]> {
    for (let page = 0; page < 100; page += 1) yield ["x".repeat(1000)];
  }
  const file = downloads.begin(jsonChunks(pages()), {
    request: { clientIp: from, raw: { socket: {} } } as unknown as FastifyRequest,
    reply: { raw } as unknown as FastifyReply,
    userId,
    inTurn: (work) => work(),
  });
  return { file, raw };
}

/** Client address in a network block of its own (IPv4 /24). */
const fromBlock = (block: number) => `198.51.${block}.1`;

it("a new download of an account ends its older one", () => {
  const downloads = new Downloads();
  const [first, other] = ["ann", "ben"].map((userId) => begin(downloads, { userId, from: fromBlock(1) }));
  begin(downloads, { userId: "ann", from: fromBlock(2) });
  expect([first?.raw.isEnded, other?.raw.isEnded]).toEqual([true, false]);
});

it("when too many are open, the one stalled for longest is ended", async () => {
  const downloads = new Downloads();
  const open = Array.from({ length: 32 }, (_, id) => begin(downloads, { userId: `${id}`, from: fromBlock(id) }));
  const [first] = open;
  await new Promise((resolve) => setTimeout(resolve, 2));
  const sink = first?.file.pipe(new PassThrough());
  await new Promise((resolve) => sink?.once("readable", resolve));
  begin(downloads, { userId: "new", from: fromBlock(99) });
  expect(open.map(({ raw }) => raw.isEnded).indexOf(true)).toBe(1);
  expect(open.filter(({ raw }) => raw.isEnded)).toHaveLength(1);
});

it("of a network block with many downloads, one is ended before those of other blocks", () => {
  const downloads = new Downloads();
  const quiet = begin(downloads, { userId: "quiet", from: fromBlock(1) });
  const busy = Array.from({ length: 31 }, (_, id) => begin(downloads, { userId: `${id}`, from: fromBlock(2) }));
  for (let id = 0; id < 20; id += 1) begin(downloads, { userId: `other ${id}`, from: fromBlock(10 + id) });
  expect(quiet.raw.isEnded).toBe(false);
  expect(busy.filter(({ raw }) => !raw.isEnded).length).toBeLessThanOrEqual(16);
});
