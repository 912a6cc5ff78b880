/**
 * Header fields are written by packages/mail-rfc/src/header/header-field.ts and nowhere else: no other source file
 * contains a string literal that starts like a header field, and none casts a string to the builder's type.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryFiles, repositoryRoot } from "../source-files.ts";

const BUILDER = "packages/mail-rfc/src/header/header-field.ts";
/** The program that prints stored mail in a terminal. It builds no message, so header names are allowed in it. */
const PRINTER = "apps/server/src/cli/commands/doctor.ts";

const families =
  "ARC|Arrival|Authentication|Auto|Content|Delivered|DKIM|Final|In-Reply|Last|List|Message|MIME|Reply|Reporting|Resent|Return|X";
const names = `(?:${families})-[A-Za-z-]+|Bcc|Cc|Date|From|Received|References|Sender|Subject|To`;
/** Matches a header field's name at the start of a string literal or of a line in one. */
const beginsField = new RegExp(`(?:["'\`]|\\\\n|\\\\t)(?:${names}):(?: |\\$|["'\`])`);
const castsToFieldText = /\bas (?:unknown as |never as )?FieldText\b/;

function isWritingFields(source: string): boolean {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(?<=^|\s)\/\/.*$/gm, "");
  return beginsField.test(code) || castsToFieldText.test(code);
}

const isSource = (path: string) =>
  /^(?:apps\/server|packages\/[^/]+)\/src\/.*\.ts$/.test(path) && !/\.(?:test|testing)\.ts$/.test(path);

test("only the builder writes header fields", () => {
  const root = repositoryRoot();
  const sources = repositoryFiles(root).filter((path) => isSource(path) && path !== BUILDER && path !== PRINTER);
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((path) => isWritingFields(readFileSync(join(root, path), "utf8")))).toEqual([]);
});

test.each([
  "const field = `Delivered-To: ${address}\\r\\n`;",
  'const field = "Subject: " + subject;',
  "const header = `${top}\\r\\nX-Any: ${value}\\r\\n`;",
  'lines.push("Content-Type: text/plain");',
  "return text as FieldText;",
])("control: %s is reported", (source) => {
  expect(isWritingFields(source)).toBe(true);
});

test("control: calls of the builder and comments are not reported", () => {
  expect(isWritingFields('headerField("Subject", [subject]); // "Subject: " + subject')).toBe(false);
});
