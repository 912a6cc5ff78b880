import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readHeader } from "../header/headers.ts";
import { relaxedField, simpleBodyHash } from "./dkim-canonical.ts";
import { dkimSign } from "./dkim-sign.ts";

const hashOf = (text: string) => simpleBodyHash(Buffer.from(text, "latin1")).toString("base64");

test("the empty body has the simple hash given in RFC 6376 §3.4.3", () => {
  expect(hashOf("")).toBe("frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=");
  expect(hashOf("\r\n\r\n")).toBe("frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=");
});

test("empty lines at the end do not change the hash, everything else does", () => {
  const body = fc.stringMatching(/^[ -~\t]{0,40}$/).map((text) => `${text}x\r\n`);
  fc.assert(
    fc.property(body, fc.nat(5), (text, empty) => {
      expect(hashOf(text + "\r\n".repeat(empty))).toBe(hashOf(text));
      expect(hashOf(`${text} \r\n`)).not.toBe(hashOf(text));
    }),
  );
});

test("relaxed header fields match the example of RFC 6376 §3.4.5", () => {
  expect(relaxedField("A: X\r\n")).toBe("a:X");
  expect(relaxedField("B : Y\t\r\n\tZ  \r\n")).toBe("b:Y Z");
});

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ed = generateKeyPairSync("ed25519");

test("both signatures verify with their public keys over the fields they name", async () => {
  const message = Buffer.from("From: a@b.test\r\nSubject:  two   words\r\nX-Other: z\r\n\r\nbody\r\n");
  const header = readHeader(message);
  const text = await dkimSign(
    {
      header: message.subarray(0, header.end),
      fields: header.fields,
      bodyHash: simpleBodyHash(message.subarray(header.end + 2)),
      signedAt: new Date(0),
    },
    [
      { domain: "b.test", selector: "s1", algorithm: "rsa-sha256", privateKey: rsa.privateKey },
      { domain: "b.test", selector: "s2", algorithm: "ed25519-sha256", privateKey: ed.privateKey },
    ],
  );
  const [first] = text.split(/(?<=\r\n)(?=DKIM)/) as [string, string];
  const signature = Buffer.from((/b=([^;]*)$/s.exec(first)?.[1] as string).replace(/\s/g, ""), "base64");
  const unsigned = relaxedField(first.replace(/b=[^;]*$/s, "b="));
  const input = `subject:two words\r\nfrom:a@b.test\r\n${unsigned}`;
  expect(first).toContain("h=subject:from:from;");
  expect(verify("sha256", Buffer.from(input), createPublicKey(rsa.privateKey), signature)).toBe(true);
  for (const line of text.split("\r\n")) expect(line.length).toBeLessThanOrEqual(78);
});

test("signing does not change a byte of any fixture", async () => {
  const folder = new URL("../../../../test-vectors/eml/", import.meta.url);
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".eml"))) {
    const message = readFileSync(new URL(name, folder));
    const before = Buffer.from(message);
    const header = readHeader(message);
    const source = {
      header: message.subarray(0, header.end),
      fields: header.fields,
      bodyHash: simpleBodyHash(message.subarray(header.end)),
      signedAt: new Date(0),
    };
    await dkimSign(source, [
      { domain: "b.test", selector: "s", algorithm: "ed25519-sha256", privateKey: ed.privateKey },
    ]);
    expect(message.equals(before)).toBe(true);
  }
});
