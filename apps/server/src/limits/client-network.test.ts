import { expect, it } from "vitest";
import { clientBlock, clientNetwork, isPublicBlock } from "./client-network.ts";

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

it("blocks of loopback, private and unknown addresses stand for nobody", () => {
  const shared = ["127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.1.1"];
  const others = ["::1", "::ffff:127.0.0.1", "fd00:1:2::3", "fe80::1%eth0", "0.0.0.0", "no address", ""];
  for (const address of [...shared, ...others])
    expect([address, isPublicBlock(clientBlock(address))]).toEqual([address, false]);
  const open = [
    "192.0.2.7",
    "172.32.0.1",
    "172.15.0.1",
    "100.128.0.1",
    "1.0.0.1",
    "2001:db8::1",
    "fc::1",
    "::ffff:8.8.8.8",
  ];
  for (const address of open) expect([address, isPublicBlock(clientBlock(address))]).toEqual([address, true]);
});
