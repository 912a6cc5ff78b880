import type { AliasExportFormat } from "@kauke/contract";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../take-limit.ts";
import { type Alias, aliasAddress, destinationsOf } from "./alias.ts";

const QUOTED = /[",\r\n]|^\s|\s$/;
/** Spreadsheet programs run a cell that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One CSV record (RFC 4180). @param isSafe puts an apostrophe before formulas; importers would keep it */
function csvLine(cells: readonly string[], isSafe: boolean): string {
  return `${cells.map((cell) => quoted(isSafe && FORMULA.test(cell) ? `'${cell}` : cell)).join(",")}\r\n`;
}

function quoted(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

interface Format {
  header: readonly string[] | null;
  lines(alias: Alias, isSafe: boolean): string;
}

const formats: Readonly<Record<AliasExportFormat, Format>> = {
  simplelogin: {
    header: ["alias", "note", "enabled", "mailboxes"],
    lines: (alias, isSafe) =>
      csvLine([address(alias), alias.notes ?? "", isActive(alias) ? "True" : "False", texts(alias).join(" ")], isSafe),
  },
  addy: {
    header: ["alias", "description", "recipients"],
    lines: (alias, isSafe) => csvLine([address(alias), alias.notes ?? "", texts(alias).join(",")], isSafe),
  },
  "forward-email": { header: null, lines: dnsRecords },
};

export interface AliasExportInput {
  userId: string;
  format: AliasExportFormat;
  isSafe: boolean;
}

/** @returns the file in chunks, read from the database as the client receives them @throws AppError `rate_limited` */
export async function exportAliases(
  deps: Pick<CoreDeps, "aliases" | "rateLimits" | "limitRules" | "clock">,
  { userId, format, isSafe }: AliasExportInput,
): Promise<AsyncIterable<string>> {
  await takeLimit(deps, "alias_export", { userId });
  return pages(deps.aliases.pagesForUser(userId), { format: formats[format], isSafe });
}

async function* pages(
  aliases: AsyncIterable<readonly Alias[]>,
  { format: { header, lines }, isSafe }: { format: Format; isSafe: boolean },
): AsyncGenerator<string> {
  if (header !== null) yield csvLine(header, false);
  for await (const page of aliases) yield page.map((alias) => lines(alias, isSafe)).join("");
}

const address = ({ name, domain }: Alias) => `${name}@${domain}`;
const isActive = ({ routing }: Alias) => routing.state === "active";

/** The separators of the export formats are escaped in webhook URLs. */
function texts(alias: Alias): string[] {
  return destinationsOf(alias).map((one) =>
    one.kind === "mailbox" ? one.address : one.url.replaceAll(/[,"\\]/g, (sign) => escapes[sign] ?? sign),
  );
}

const escapes: Readonly<Record<string, string>> = { ",": "%2C", '"': "%22", "\\": "%5C" };

/** Maximum octets of one string of a TXT record (RFC 1035 §3.3). */
const TXT_MAX_BYTES = 255;
const TTL_SECONDS = 3600;

function dnsRecords(alias: Alias): string {
  const name = aliasAddress(alias.name, alias.domain).split("@", 1)[0] ?? "";
  const records: string[] = [];
  for (const text of texts(alias)) {
    const piece = `${isActive(alias) ? "" : "!"}${name}:${text}`;
    const joined = `${records.at(-1) ?? ""},${piece}`;
    if (records.length > 0 && Buffer.byteLength(joined) <= TXT_MAX_BYTES) records[records.length - 1] = joined;
    else records.push(`forward-email=${piece}`);
  }
  return records.map((value) => `${alias.domain}.\t${TTL_SECONDS}\tIN\tTXT\t${strings(value)}\r\n`).join("");
}

function strings(value: string): string {
  return (value.match(/[\s\S]{1,200}/g) ?? []).map((part) => `"${part}"`).join(" ");
}
