/**
 * Which part of the repository may import which, as data. `sourcePartOf` names the part that a file belongs to; `mayImport`
 * is the whole table: a part may import only the parts listed under it. Tests may import everything, `testkit`
 * included.
 */

/**
 * The rooms of the mail path, from the top down: each may import only those below it. The top is the file `path.ts`,
 * the ground floor are the other files of `mail/` itself.
 */
export const mailRooms = [
  "mail/path",
  "mail/inbound",
  "mail/delivery",
  "mail/message",
  "mail/transport",
  "mail/smtp",
  "mail/dns",
  "mail/ground",
] as const;

type MailRoom = (typeof mailRooms)[number];

/** Packages of features that the server can do without. Only the code that assembles the server imports them. */
export const featurePackages = ["leak-guard", "invitations", "quotes", "alias-import"] as const;

type FeaturePackage = (typeof featurePackages)[number];

export type Part =
  | MailRoom
  | FeaturePackage
  | "contract"
  | "mail-rfc"
  | "age"
  | "age-node"
  | "runtime"
  | "settings"
  | "limits"
  | "core"
  | "store"
  | "http"
  | "platform"
  | "app"
  | "web"
  | "tools";

const folders: readonly (readonly [prefix: string, part: Part])[] = [
  ["packages/contract/", "contract"],
  ["packages/mail-rfc/", "mail-rfc"],
  ...featurePackages.map((name) => [`packages/${name}/`, name] as const),
  // The files of packages/age that need Node; code that runs in a browser must not import them.
  ["packages/age/src/password/node-password-cipher.ts", "age-node"],
  ["packages/age/src/node-encrypter.ts", "age-node"],
  ["packages/age/", "age"],
  ["apps/server/src/runtime/", "runtime"],
  ["apps/server/src/settings/", "settings"],
  ["apps/server/src/limits/", "limits"],
  ["apps/server/src/core/", "core"],
  ["apps/server/src/store/", "store"],
  ["apps/server/src/http/", "http"],
  ["apps/server/src/platform/", "platform"],
  // Wires the mail path to the store, so it is part of the app.
  ["apps/server/src/mail/wire.ts", "app"],
  ["apps/server/src/mail/path.ts", "mail/path"],
  ...mailRooms.slice(1, -1).map((room) => [`apps/server/src/${room}/`, room] as const),
  ["apps/server/src/mail/", "mail/ground"],
  // The command, the loose files that start a server, and tests.
  ["apps/server/", "app"],
  ["apps/web/", "web"],
  ["testkit/", "tools"],
  ["e2e/", "tools"],
  ["bench/", "tools"],
  ["scripts/", "tools"],
];

/** @returns the part that a file belongs to; `null` for a file outside the table, such as configuration at the root */
export function sourcePartOf(path: string): Part | null {
  return folders.find(([prefix]) => path.startsWith(prefix))?.[1] ?? null;
}

/** The part that each import name of our packages stands for. Some entries of a package are parts of their own. */
export const packageParts: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["@kauke/contract", "contract"],
  ["@kauke/mail-rfc", "mail-rfc"],
  ...featurePackages.map((name) => [`@kauke/${name}`, name] as const),
  ["@kauke/age", "age"],
  ["@kauke/age/node-password-cipher", "age-node"],
  ["@kauke/age/node-encrypter", "age-node"],
  ["@kauke/server", "app"],
  ["@kauke/web", "web"],
  ["@kauke/testkit", "tools"],
]);

const belowMail = ["core", "contract", "mail-rfc", "limits", "settings", "runtime"] as const;

/** @returns what a room of the mail path may import: the rooms below it, and the parts below the whole mail path */
const belowRoom = (room: MailRoom): readonly Part[] => [...mailRooms.slice(mailRooms.indexOf(room) + 1), ...belowMail];

const roomImports = Object.fromEntries(mailRooms.map((room) => [room, belowRoom(room)])) as Record<
  MailRoom,
  readonly Part[]
>;

export const mayImport: Readonly<Record<Part, readonly Part[] | "everything">> = {
  contract: [],
  "mail-rfc": [],
  "leak-guard": ["mail-rfc"],
  invitations: ["mail-rfc"],
  quotes: ["mail-rfc"],
  "alias-import": ["contract", "mail-rfc"],
  age: [],
  "age-node": ["age"],
  runtime: [],
  settings: ["runtime", "contract", "mail-rfc"],
  // Its table shows the figures of contract and of mail-rfc beside its own.
  limits: ["runtime", "contract", "mail-rfc"],
  core: ["contract", "mail-rfc", "age", "limits", "runtime"],
  store: ["core", "contract", "mail-rfc", "settings", "limits", "runtime"],
  http: ["core", "contract", "settings", "limits", "runtime"],
  platform: [
    ...(["core", "contract", "mail-rfc", "age", "age-node", "settings", "limits", "runtime"] as const),
    // Their adapters: the process of the guard, and the translation of errors.
    "leak-guard",
    "alias-import",
  ],
  ...roomImports,
  // Everything of the server and below it.
  app: [
    "contract",
    "mail-rfc",
    ...featurePackages,
    "age",
    "age-node",
    "runtime",
    "settings",
    "limits",
    "core",
    "store",
    "http",
    "platform",
    ...mailRooms,
  ],
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
  ...Object.fromEntries(featurePackages.map((name) => [name, [inputOutput, ageLibraries]])),
  runtime: [httpLibraries, mailLibraries, storeLibraries, ageLibrariesExceptBase],
  settings: [httpLibraries, mailLibraries, storeLibraries, ageLibraries],
  limits: [inputOutput, httpLibraries, mailLibraries, storeLibraries, ageLibraries],
  core: [inputOutput, httpLibraries, mailLibraries, storeLibraries, ageLibrariesExceptBase],
  store: [httpLibraries, mailLibraries, ageLibraries],
  http: [mailLibraries, storeLibraries, ageLibraries],
  platform: [mailLibraries, storeLibraries, ageLibraries],
  ...Object.fromEntries(mailRooms.map((room) => [room, refusedToMail])),
  app: [mailLibraries, ageLibraries],
};
