import { expect, test } from "vitest";
import { enqueueMessage } from "./message.ts";

function scene({ putFails = false, deleteFails = false } = {}) {
  const calls: string[] = [];
  const step = (name: string, fails: boolean) => async () => {
    calls.push(name);
    if (fails) throw new Error(name);
  };
  return { calls, bodies: { put: step("put", putFails), delete: step("delete", deleteFails) } };
}

const message = { id: "message", wire: Buffer.from("x\r\n") };

test("the body is stored before the rows", async () => {
  const { calls, bodies } = scene();
  await enqueueMessage(bodies, message, async () => calls.push("rows"));
  expect(calls).toEqual(["put", "rows"]);
});

test.each([
  ["the body", { putFails: true }, "put", ["put", "delete"]],
  ["the rows", {}, "rows", ["put", "rows", "delete"]],
  ["the rows, and then the removal of the body", { deleteFails: true }, "rows", ["put", "rows", "delete"]],
])("when storing %s fails nothing is left, and the caller hears of it", async (_, options, failure, expected) => {
  const { calls, bodies } = scene(options);
  const insertRows = async () => {
    calls.push("rows");
    throw new Error("rows");
  };
  await expect(enqueueMessage(bodies, message, insertRows)).rejects.toThrow(failure);
  expect(calls).toEqual(expected);
});
