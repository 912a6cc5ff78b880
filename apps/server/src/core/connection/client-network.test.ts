import { expect, it } from "vitest";
import { clientBlock, clientNetwork } from "./client-network.ts";

const cases: [string, string, string][] = [
  ["192.0.2.7", "192.0.2.7", "192.0.2"],
  ["::ffff:192.0.2.7", "192.0.2.7", "192.0.2"],
  ["2001:db8:0:7:1:2:3:4", "2001:db8:0:7", "2001:db8:0"],
  ["2001:DB8:0:7::1", "2001:db8:0:7", "2001:db8:0"],
  ["2001:db8::1", "2001:db8:0:0", "2001:db8:0"],
  ["::1", "0:0:0:0", "0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0", "fe80:0:0"],
  ["no address", "unknown", "unknown"],
  ["", "unknown", "unknown"],
];

it.each(cases)("%s belongs to network %s and block %s", (address, network, block) => {
  expect(clientNetwork(address)).toBe(network);
  expect(clientBlock(address)).toBe(block);
  // A network has the same block as its addresses, and clientNetwork of a network returns it unchanged.
  expect(clientBlock(network)).toBe(block);
  expect(clientNetwork(network)).toBe(network);
});
