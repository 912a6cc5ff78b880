import type { AliasWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { sendersOf } from "./senders.ts";

const named = (id: string) => ({ id, alias: id, domain: "kauke.test" });
const alias = (id: string, active = true) => ({ ...named(id), active }) as AliasWire;
const states = (senders: ReturnType<typeof sendersOf>) => senders.map(({ id, state }) => `${id} ${state}`);

test("all aliases are offered in their order, paused ones last", () => {
  const aliases = [alias("a", false), alias("b"), alias("c"), alias("d", false)];
  expect(states(sendersOf([named("c")], aliases))).toEqual(["b new", "c ready", "a paused", "d paused"]);
});

test("an alias that only the list of credentials knows can send", () => {
  expect(states(sendersOf([named("a"), named("b")], [alias("b")]))).toEqual(["a ready", "b ready"]);
  expect(sendersOf([], [])).toEqual([]);
});

test("an alias switched on since the aliases were cached can send", () => {
  expect(states(sendersOf([named("a")], [alias("a", false)]))).toEqual(["a ready"]);
});
