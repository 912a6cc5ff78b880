/** A child process that obeys test orders, well or badly, to test how its parent handles that. */
interface TestOrder {
  input?: TestOrder;
  content?: TestOrder;
  say?: string;
  after?: number;
  block?: number;
  exit?: true;
  fill?: true;
  hang?: true;
  canCollect?: true;
}

const kept: string[][] = [];

process.on("message", (order: TestOrder) => obey(order.input ?? order.content ?? order));
process.on("disconnect", () => process.exit(0));

function obey({ say, after = 0, block, exit, fill, hang, canCollect }: TestOrder): void {
  if (exit) process.exit(7);
  if (hang) return;
  if (canCollect) return void process.send?.(typeof globalThis.gc);
  // Fills the heap beyond its limit, as a parser of hostile input might.
  while (fill) kept.push(Array.from({ length: 100_000 }, (_, index) => `${index} ${kept.length}`));
  if (block !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, block);
  setTimeout(() => process.send?.({ done: true, result: { say, pid: process.pid } }), after);
}

process.send?.("ready");
