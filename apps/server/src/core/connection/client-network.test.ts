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

it.each(cases)("%s is of network %s and block %s", (address, network, block) => {
  expect(clientNetwork(address)).toBe(network);
  expect(clientBlock(address)).toBe(block);
  // The block of a network is that of its addresses, and a network stays what it is.
  expect(clientBlock(network)).toBe(block);
  expect(clientNetwork(network)).toBe(network);
});
