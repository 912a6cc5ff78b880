import { expect, it } from "vitest";
import { ownHtml } from "./own-mail.ts";

const link = '<a href="https://kauke.test/reset#abc">Set a new password</a>';
const other = '<a href="https://kauke.test/confirm/abc/not-mine">This is not mine</a>';

it("contains the product name and the subject, and shows the first link as a button", () => {
  const lines = ownHtml("Is this mailbox yours?", ["Somebody asked.", link, "Or:", other]);
  const html = lines.join("\n");
  expect(html).toContain('<p class="brand"><span></span>Kauke</p>');
  expect(html).toContain("<h1>Is this mailbox yours?</h1>");
  expect(html).toContain(`<p class="do">${link}</p>`);
  expect(html).toContain(`<p>${other}</p>`);
  expect(html.match(/class="do"/g)).toHaveLength(1);
});

it("has both themes, no external resources, no scripts, and short lines of ASCII", () => {
  const lines = ownHtml("Subject", ["Text.", link]);
  const html = lines.join("\n");
  expect(html).toContain("prefers-color-scheme:dark");
  expect(html).not.toMatch(/<(?:img|link|script|iframe|form)|url\(|@import|src=/i);
  expect(html.match(/https?:[^"<]*/g)).toEqual(["https://kauke.test/reset#abc"]);
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]{1,200}$/);
});
