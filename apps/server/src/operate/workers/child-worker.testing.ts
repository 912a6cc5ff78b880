/** A child that does as it is told, well or badly: for tests of what its parent makes of that. */
interface TestOrder {
  wish?: TestOrder;
  content?: TestOrder;
  say?: string;
  after?: number;
  block?: number;
  exit?: true;
  fill?: true;
  hang?: true;
}

const kept: string[][] = [];

process.on("message", (order: TestOrder) => obey(order.wish ?? order.content ?? order));
process.on("disconnect", () => process.exit(0));

function obey({ say, after = 0, block, exit, fill, hang }: TestOrder): void {
  if (exit) process.exit(7);
  if (hang) return;
  // A heap over its limit, as a parser of a stranger's bytes would fill it.
  while (fill) kept.push(Array.from({ length: 100_000 }, (_, index) => `${index} ${kept.length}`));
  if (block !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, block);
  setTimeout(() => process.send?.({ done: true, result: { say, pid: process.pid } }), after);
}

process.send?.("ready");
