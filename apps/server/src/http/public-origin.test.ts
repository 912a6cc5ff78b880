import { expect, test } from "vitest";
import { publicOrigin } from "./public-origin.ts";

const unset = { publicUrl: new URL("http://localhost:3000"), publicUrlGiven: false, port: 3000 };
const given = { publicUrl: new URL("https://kauke.example:8443/"), publicUrlGiven: true, port: 3000 };

test("a configured public URL is the origin, whatever the Host field says", () => {
  for (const host of ["kauke.example:8443", "localhost:3000", "127.0.0.1:3000", "evil.example", undefined])
    expect(publicOrigin(host, given)).toBe("https://kauke.example:8443");
});

test("without one, the origin is a loopback name with this port, and no other host is accepted", () => {
  expect(publicOrigin("127.0.0.1:3000", unset)).toBe("http://127.0.0.1:3000");
  expect(publicOrigin("localhost:3000", unset)).toBe("http://localhost:3000");
  for (const host of [
    "127.0.0.1:3001",
    "localhost",
    "evil.example",
    "localhost:3000/x",
    "a@localhost:3000",
    "",
    undefined,
  ])
    expect(publicOrigin(host, unset)).toBe("http://localhost:3000");
});
