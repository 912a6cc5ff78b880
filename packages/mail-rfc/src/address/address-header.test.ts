import { expect, it } from "vitest";
import { readHeader } from "../header/headers.ts";
import { addressesOf } from "./address-header.ts";
import { ADDRESSES_MAX } from "./address-list.ts";

const read = (text: string) => {
  const header = Buffer.from(text);
  return addressesOf({ header, fields: readHeader(header).fields }, "to");
};

it("addresses of several fields with the same name are read as one list without duplicates", () => {
  const { mailboxes, isCut } = read("To: a@b.test\r\nCc: x@y.test\r\nTo: A@b.test, c@d.test\r\n");
  expect(mailboxes.map(({ address }) => address)).toEqual(["a@b.test", "c@d.test"]);
  expect(isCut).toBe(false);
});

it("the limit on entries applies to all fields of a name together", () => {
  const field = (from: number, count: number) =>
    `To: ${Array.from({ length: count }, (_, at) => `a${from + at}@b.test`).join(",")}\r\n`;
  expect(read(field(0, ADDRESSES_MAX))).toMatchObject({ isCut: false });
  const many = read(Array.from({ length: 30 }, (_, at) => field(at * 100, 100)).join(""));
  expect(many.mailboxes).toHaveLength(ADDRESSES_MAX);
  expect(many.isCut).toBe(true);
});
