/** Keeps sites and addresses only; passwords, codes and notes are dropped while the file is read. */

import { csvRows, readCsvHeader } from "./csv.ts";
import { siteNameOf } from "./site-name.ts";

export interface Login {
  site: string;
  address: string;
}

export interface PasswordExport {
  /** Program that wrote the file, e.g. `Bitwarden`; `null` if unknown. */
  program: string | null;
  /** Logins in the file, with and without an address. */
  entries: number;
  logins: Login[];
}

/** `aliases`: a list of aliases, not of logins; `other`: an unknown format. */
export type ExportProblem =
  | "encrypted"
  | "too_large"
  | "damaged"
  | "empty"
  | "keepass_database"
  | "xml"
  | "aliases"
  | "not_loaded"
  | "other";

export class ExportFileError extends Error {
  readonly problem: ExportProblem;
  /** Program that wrote the file, e.g. `KeePass`; `null` if unknown. */
  readonly program: string | null;

  constructor(problem: ExportProblem, program: string | null = null) {
    super(problem);
    this.name = "ExportFileError";
    this.problem = problem;
    this.program = program;
  }
}

/** Reads an export in JSON or CSV. @throws ExportFileError */
export function readPasswordExport(text: string): PasswordExport {
  const start = text.slice(0, 256).trimStart();
  if (start === "") throw new ExportFileError("empty");
  if (start.startsWith("-----BEGIN PGP MESSAGE-----")) throw new ExportFileError("encrypted", "Proton Pass");
  if (start.startsWith("-----BEGIN AGE ENCRYPTED FILE-----")) throw new ExportFileError("encrypted");
  if (start.startsWith("<")) throw new ExportFileError("xml");
  return start.startsWith("{") || start.startsWith("[") ? readJson(text) : readCsv(text);
}

/** Fields that may contain secrets, so parsing drops them. */
const secretFields = new Set([
  "password",
  "passwordHistory",
  "totp",
  "totpUri",
  "notes",
  "note",
  "fields",
  "extraFields",
]);

type Json = { readonly [key: string]: unknown };
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectIn = (value: unknown): Json => (isObject(value) ? value : {});
const listIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

function readJson(text: string): PasswordExport {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ""), (key, value: unknown) =>
      secretFields.has(key) ? undefined : value,
    );
  } catch {
    throw new ExportFileError("damaged");
  }
  const whole = objectIn(parsed);
  if (whole.encrypted === true) throw new ExportFileError("encrypted", "vaults" in whole ? "Proton Pass" : "Bitwarden");
  if (Array.isArray(whole.items)) return collected("Bitwarden", listIn(whole.items).flatMap(bitwardenEntry));
  if (isObject(whole.vaults)) {
    const items = Object.values(whole.vaults).flatMap((vault) => listIn(objectIn(vault).items));
    return collected("Proton Pass", items.flatMap(protonEntry));
  }
  throw new ExportFileError(isAliasJson(parsed) ? "aliases" : "other");
}

const isAliasJson = (parsed: unknown): boolean =>
  Array.isArray(objectIn(parsed).aliases) ||
  "full_address" in (listIn(parsed)[0] ?? {}) ||
  "tables" in objectIn(parsed);

interface Entry {
  urls: string[];
  name: string;
  users: string[];
}

const BITWARDEN_LOGIN = 1;

function bitwardenEntry({ type, name, login }: Json): Entry[] {
  if (type !== BITWARDEN_LOGIN) return [];
  const { username, uris } = objectIn(login);
  return [{ urls: listIn(uris).map(({ uri }) => textIn(uri)), name: textIn(name), users: [textIn(username)] }];
}

function protonEntry({ data, aliasEmail }: Json): Entry[] {
  const { type, metadata, content } = objectIn(data);
  if (type !== "login" && type !== "alias") return [];
  const { urls, autofillUrls, itemEmail, itemUsername, username } = objectIn(content);
  return [
    {
      urls: [...(Array.isArray(urls) ? urls.map(textIn) : []), ...urlsOfModes(autofillUrls)],
      name: textIn(objectIn(metadata).name),
      users: [aliasEmail, itemEmail, itemUsername, username].map(textIn),
    },
  ];
}

/** Proton Pass: one list per fill-in mode; the older `url` and `urls` have the default mode only. */
const urlsOfModes = (list: unknown): string[] => listIn(list).map(({ url }) => textIn(url));

/** Columns with a site's URL, in lower case; the first that a file has wins. */
const urlColumns = ["login_uri", "url", "urls", "web site", "website", "uri"];
const nameColumns = ["name", "title", "account"];
const userColumns = ["login_username", "username", "login name", "login", "email", "user name"];
const passwordColumns = ["login_password", "password"];

/** Programs, each with columns that occur together only in its exports. */
const programs: readonly (readonly [program: string, columns: readonly string[]])[] = [
  ["Bitwarden", ["login_uri", "login_username"]],
  ["Proton Pass", ["type", "vault"]],
  ["KeePass", ["account", "login name", "web site"]],
  ["KeePassXC", ["group", "title", "username", "url"]],
  ["Firefox", ["url", "username", "httprealm"]],
  ["Safari", ["title", "url", "username", "otpauth"]],
  ["Chrome", ["name", "url", "username", "password"]],
];

const aliasLists: readonly (readonly [service: string, columns: readonly string[]])[] = [
  ["SimpleLogin", ["alias", "enabled", "mailboxes"]],
  ["addy.io", ["local_part", "domain", "email"]],
  ["Mailx", ["alias", "enabled", "recipients"]],
];

function readCsv(text: string): PasswordExport {
  try {
    const { header, shape, next } = readCsvHeader(text);
    const has = (columns: readonly string[]) => columns.every((column) => header.includes(column));
    const aliasList = aliasLists.find(([, columns]) => has(columns));
    if (aliasList !== undefined) throw new ExportFileError("aliases", aliasList[0]);
    const url = firstOf(header, urlColumns);
    const name = firstOf(header, nameColumns);
    const users = userColumns.map((column) => header.indexOf(column)).filter((column) => column >= 0);
    const isLogins = users.length > 0 && (url >= 0 || name >= 0) && firstOf(header, passwordColumns) >= 0;
    if (!isLogins) throw new ExportFileError("other");
    const columns = [header.indexOf("type"), url, header.indexOf("autofillurls"), name, ...users];
    const rows = csvRows(text, { from: next, shape, columns });
    return collected(programs.find(([, wanted]) => has(wanted))?.[0] ?? null, entriesOf(rows));
  } catch (error) {
    throw error instanceof ExportFileError ? error : new ExportFileError("damaged");
  }
}

const firstOf = (header: readonly string[], names: readonly string[]): number =>
  header.indexOf(names.find((name) => header.includes(name)) ?? "\0");

function* entriesOf(rows: Iterable<readonly string[]>): Generator<Entry> {
  for (const [type = "", urls = "", modes = "", name = "", ...users] of rows)
    if (["", "login", "alias"].includes(type.toLowerCase()))
      yield { urls: [...urls.split(/[,\s]+/), ...urlsOfModes(jsonIn(modes))], name, users };
}

/** `undefined` if the text is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// An address without `mailto:` or a display name.
const address = /^[^\s@,;<>"\p{Cc}\p{Cs}]{1,64}@[^\s@,;<>"\p{Cc}\p{Cs}]+\.[^\s@.,;<>"\p{Cc}\p{Cs}]+$/u;

function collected(program: string | null, entries: Iterable<Entry>): PasswordExport {
  const logins = new Map<string, Login>();
  let count = 0;
  for (const { urls, name, users } of entries) {
    count += 1;
    const site = siteNameOf(urls, name);
    if (site === null) continue;
    for (const user of users) {
      const trimmed = user.trim();
      const key = `${site.toLowerCase()}\0${trimmed.toLowerCase()}`;
      if (trimmed.length <= 254 && address.test(trimmed) && !logins.has(key))
        logins.set(key, { site, address: trimmed });
    }
  }
  if (count === 0) throw new ExportFileError("empty", program);
  return { program, entries: count, logins: [...logins.values()] };
}
