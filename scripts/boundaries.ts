/**
 * Which part of the repository may import which, as data. `partOf` names the part that a file belongs to; `mayImport`
 * is the whole table: a part may import only the parts listed under it. Tests may import everything, `testkit`
 * included.
 */

/**
 * The rooms of the mail path, from the top down: each may import only those below it. The ground floor is `mail/`
 * itself.
 */
export const mailRooms = [
  "mail/submission",
  "mail/receive",
  "mail/queue",
  "mail/copy",
  "mail/transport",
  "mail/smtp-server",
  "mail/ground",
] as const;

type MailRoom = (typeof mailRooms)[number];

export type Part =
  | MailRoom
  | "contract"
  | "mail-rfc"
  | "age"
  | "age-node"
  | "config"
  | "core"
  | "store"
  | "http"
  | "main"
  | "web"
  | "tools";

const folders: readonly (readonly [prefix: string, part: Part])[] = [
  ["packages/contract/", "contract"],
  ["packages/mail-rfc/", "mail-rfc"],
  // The files of packages/age that need Node; code that runs in a browser must not import them.
  ["packages/age/src/password/node-password-cipher.ts", "age-node"],
  ["packages/age/src/node-encrypter.ts", "age-node"],
  ["packages/age/", "age"],
  ["apps/server/src/config.ts", "config"],
  ["apps/server/src/core/", "core"],
  ["apps/server/src/store/", "store"],
  ["apps/server/src/http/", "http"],
  ["apps/server/src/mail/submission/", "mail/submission"],
  ["apps/server/src/mail/receive/", "mail/receive"],
  ["apps/server/src/mail/queue/", "mail/queue"],
  ["apps/server/src/mail/copy/", "mail/copy"],
  ["apps/server/src/mail/transport/", "mail/transport"],
  ["apps/server/src/mail/smtp-server/", "mail/smtp-server"],
  ["apps/server/src/mail/", "mail/ground"],
  ["apps/server/", "main"],
  ["apps/web/", "web"],
  ["testkit/", "tools"],
  ["e2e/", "tools"],
  ["bench/", "tools"],
  ["scripts/", "tools"],
];

/** @returns the part that a file belongs to; `null` for a file outside the table, such as configuration at the root */
export function partOf(path: string): Part | null {
  return folders.find(([prefix]) => path.startsWith(prefix))?.[1] ?? null;
}

/** The part that each import name of our packages stands for. Some entries of a package are parts of their own. */
export const packageParts: ReadonlyMap<string, Part> = new Map([
  ["@kauke/contract", "contract"],
  ["@kauke/mail-rfc", "mail-rfc"],
  ["@kauke/age", "age"],
  ["@kauke/age/node-password-cipher", "age-node"],
  ["@kauke/age/node-encrypter", "age-node"],
  ["@kauke/server", "main"],
  ["@kauke/web", "web"],
  ["@kauke/testkit", "tools"],
]);

const belowMail = ["core", "contract", "mail-rfc", "config"] as const;

/** @returns what a room of the mail path may import: the rooms below it, and the parts below the whole mail path */
const belowRoom = (room: MailRoom): readonly Part[] => [...mailRooms.slice(mailRooms.indexOf(room) + 1), ...belowMail];

export const mayImport: Readonly<Record<Part, readonly Part[] | "everything">> = {
  contract: [],
  "mail-rfc": [],
  age: [],
  "age-node": ["age"],
  // config.ts has only the types of the settings and imports nothing of ours.
  config: [],
  core: ["contract", "mail-rfc", "age"],
  store: ["core", "contract", "mail-rfc", "config"],
  http: ["core", "contract", "config"],
  "mail/submission": belowRoom("mail/submission"),
  "mail/receive": belowRoom("mail/receive"),
  "mail/queue": belowRoom("mail/queue"),
  "mail/copy": belowRoom("mail/copy"),
  "mail/transport": belowRoom("mail/transport"),
  "mail/smtp-server": belowRoom("mail/smtp-server"),
  "mail/ground": belowRoom("mail/ground"),
  main: ["contract", "mail-rfc", "age", "age-node", "config", "core", "store", "http", ...mailRooms],
  web: ["contract", "age"],
  tools: "everything",
};

/**
 * Built-in modules that reach outside the process. Code of rules and standards gets such capabilities through ports.
 */
const inputOutput =
  /^(?:node:)?(?:fs|net|http|https|http2|tls|dns|dgram|child_process|cluster|worker_threads|readline|process|inspector)(?:\/|$)/;
const anyBuiltIn = /^node:/;
const httpLibraries = /^(?:fastify|@fastify\/)/;
/** Libraries that tests compare our mail path with. */
const mailLibraries = /^(?:smtp-server|nodemailer|mailauth|mailsplit|libmime)(?:\/|$)/;
const storeLibraries = /^(?:kysely|pg|@electric-sql\/)/;
/** Libraries whose error messages can contain a secret key: only packages/age may import them. */
const ageLibraries = /^(?:age-encryption|@noble\/|@scure\/)/;
/**
 * Like `ageLibraries`, but allows `@scure/base`, which encodes tokens and wallet addresses: the modules that import it
 * pass none of its error messages on.
 */
const ageLibrariesExceptBase = /^(?:age-encryption|@noble\/|@scure\/(?!base$))/;

const refusedToMail = [httpLibraries, mailLibraries, storeLibraries, ageLibraries];

/** Third-party and built-in modules that each part must not import. */
export const refusedModules: Readonly<Partial<Record<Part, readonly RegExp[]>>> = {
  contract: [anyBuiltIn, ageLibraries],
  age: [anyBuiltIn],
  web: [anyBuiltIn, ageLibraries],
  "mail-rfc": [inputOutput, ageLibrariesExceptBase],
  config: [inputOutput, ageLibraries],
  core: [inputOutput, httpLibraries, mailLibraries, storeLibraries, ageLibrariesExceptBase],
  store: [httpLibraries, mailLibraries, ageLibraries],
  http: [mailLibraries, storeLibraries, ageLibraries],
  "mail/submission": refusedToMail,
  "mail/receive": refusedToMail,
  "mail/queue": refusedToMail,
  "mail/copy": refusedToMail,
  "mail/transport": refusedToMail,
  "mail/smtp-server": refusedToMail,
  "mail/ground": refusedToMail,
  main: [mailLibraries, ageLibraries],
};
