import { programCarriers, programsHere } from "@kauke/testkit/programs/leak-carrier-programs";
import { type LeakCarrier, leakCarriers } from "@kauke/testkit/programs/leak-carriers";
import { expect, test } from "vitest";
import { searchMessage } from "./search-message.ts";

const here = programsHere();
const all: readonly LeakCarrier[] = [...leakCarriers, ...programCarriers.filter(({ program }) => here.has(program))];
const owner = "jonas.real@inbox.example";
const stranger = "tomas.else@other.example";

const messageOf = (carrier: LeakCarrier, address: string): Buffer => {
  const { header, body } = carrier.make(address);
  return Buffer.from(["From: shop@kauke.test", "Subject: hi", ...header, "", body].join("\r\n"));
};

test.each(all)("the mailbox is found in $name, and another address there is not reported", async (carrier) => {
  const message = messageOf(carrier, owner);
  expect(await searchMessage(message, [owner])).toMatchObject({ leak: "address", destination: owner });
  const another = messageOf(carrier, stranger);
  expect(await searchMessage(another, [owner])).toBeNull();
  expect(await searchMessage(another, [stranger])).not.toBeNull();
});
