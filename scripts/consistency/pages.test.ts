/**
 * The repository's pages: links between them lead to files and headings that exist, those that a newcomer reads whole
 * stay short, and the index of decisions is complete. Archived records link to headings of their time.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { repositoryFiles, repositoryRoot } from "../source-files.ts";

const root = repositoryRoot();
const files = repositoryFiles(root);
const pages = files.filter((path) => path.endsWith(".md") && !path.startsWith("test-vectors/"));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const withoutCode = (text: string): string => text.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "``");

/** The anchor of a heading as GitHub makes it: `## What's sealed, and where` is `#whats-sealed-and-where`. */
function anchorOf(heading: string): string {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return plain.replace(/[^\p{L}\p{N} _-]/gu, "").replace(/ /g, "-");
}

function anchorsOf(path: string): string[] {
  const text = read(path).replace(/^```.*?^```/gms, "");
  const headings = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading.trim()));
  return [...headings, ...[...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id = ""]) => id)];
}

/** @returns each link of a page that leads nowhere; links to other sites are not followed */
function brokenLinks(path: string, text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = "", anchor] = target.split("#");
    const full = file === "" ? path : relative(root, join(root, dirname(path), file));
    if (!existsSync(join(root, full))) return [`${path}: ${target}`];
    const isHeading = anchor === undefined || !full.endsWith(".md") || anchorsOf(full).includes(anchor);
    return isHeading || path.includes("/archive/") ? [] : [`${path}: ${target}`];
  });
}

it("links between pages lead to files and headings that exist", () => {
  expect(pages.flatMap((path) => brokenLinks(path, read(path)))).toEqual([]);
});

it("pages and records that code names exist", () => {
  const code = files.filter((path) => /\.(?:ts|tsx|mjs|css)$/.test(path));
  const named = code.flatMap((path) =>
    [...read(path).matchAll(/\b(?:docs\/[\w/-]+|SECURITY|ARCHITECTURE)\.md/g)].map(([page]) => ({ path, page })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
});

it.each([
  ["README.md", 10_000],
  ["CONTRIBUTING.md", 10_240],
  ["SECURITY.md", 15_360],
  ["CHANGELOG.md", 15_360],
  ["docs/specification.md", 20_480],
])("%s has at most %i bytes", (page, most) => {
  expect(Buffer.byteLength(read(page))).toBeLessThanOrEqual(most);
});

it("the index of decisions lists every living record, at most 45", () => {
  const records = pages.filter((path) => /^docs\/decisions\/2.*\.md$/.test(path)).map((path) => basename(path));
  const index = read("docs/decisions/README.md");
  expect(records.length).toBeLessThanOrEqual(45);
  expect(records.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});

it("control: a missing file and a missing heading are reported", () => {
  expect(brokenLinks("README.md", "[a](nowhere.md) [b](SECURITY.md#nowhere) [c](SECURITY.md#limits)")).toEqual([
    "README.md: nowhere.md",
    "README.md: SECURITY.md#nowhere",
  ]);
});
