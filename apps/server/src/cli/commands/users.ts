/** Commands on accounts. They print an e-mail address only with `--show-addresses` or if the operator entered it. */
import type { UserSummary } from "../control/control-protocol.ts";
import { type Command, type CommandCall, finish, jsonText, minuteOf, oneWord, print, refuse } from "./command.ts";
import { pagesById, printList } from "./print-list.ts";

export const users: Command = {
  usage: "users",
  about: "lists accounts: id, sign-in method, creation date, aliases, last seen, whether it is an admin",
  options: { "show-addresses": "also prints e-mail addresses" },
  async run({ access: open, values }) {
    const access = await open();
    const withEmail = values["show-addresses"] === true;
    const pages = pagesById((after) => access["users-list"]({ after, withEmail }));
    return await printList({ pages, isJson: values.json === true, lineOf, none: "There are no accounts." });
  },
};

const heading = `${"id".padEnd(36)}  sign-in  created     aliases  last seen\n`;

function lineOf(
  { id, authMethod, createdAt, aliases, lastSeenAt, email, isAdmin }: UserSummary,
  index: number,
): string {
  const seen = lastSeenAt === null ? "-" : minuteOf(lastSeenAt);
  const admin = isAdmin ? "  admin" : "";
  const shown = typeof email === "string" ? `  ${oneWord(email)}` : "";
  const line = `${id}  ${authMethod.padEnd(7)}  ${createdAt.slice(0, 10)}  ${String(aliases).padStart(7)}  ${seen.padEnd(16)}`;
  return `${index === 0 ? heading : ""}${(line + admin + shown).trimEnd()}\n`;
}

export const usersFind: Command = {
  usage: "users find <email>",
  about: "finds the account of an e-mail address",
  options: {},
  async run({ access, args: [email = ""], values }) {
    const user = await (await access())["users-find"]({ email });
    if (user === null) return refuse("No account has this e-mail address.", 1);
    return print(values.json === true ? jsonText(user) : lineOf(user, 0));
  },
};

export const usersDelete: Command = {
  usage: "users delete <id>",
  about: "deletes an account and everything it owns, at once and for good",
  options: { yes: "confirms the deletion" },
  async run({ access, args: [userId = ""], values }) {
    if (values.yes !== true)
      return refuse("This deletes the account with its aliases, keys and queued mail, for good. Add --yes to confirm.");
    return finish(await (await access())["users-delete"]({ userId }), "The account is deleted.", noAccount);
  },
};

export const usersEndSessions: Command = {
  usage: "users end-sessions <id>",
  about: "signs an account out on every device and revokes its API keys",
  options: {},
  async run({ access, args: [userId = ""] }) {
    const done = await (await access())["users-end-sessions"]({ userId });
    return finish(done, "The account is signed out everywhere, and its API keys are revoked.", noAccount);
  },
};

export const usersGrantAdmin: Command = {
  usage: "users grant-admin <email-or-id>",
  about: "lets an account use the admin page",
  options: {},
  run: ({ access, args: [account = ""] }) => changeAdmin(access, account, true),
};

export const usersRevokeAdmin: Command = {
  usage: "users revoke-admin <email-or-id>",
  about: "takes the admin page from an account",
  options: {},
  run: ({ access, args: [account = ""] }) => changeAdmin(access, account, false),
};

async function changeAdmin(open: CommandCall["access"], account: string, isAdmin: boolean): Promise<number> {
  const access = await open();
  const userId = account.includes("@") ? (await access["users-find"]({ email: account }))?.id : account;
  const isDone = userId !== undefined && (await access["users-admin"]({ userId, isAdmin }));
  if (!isDone || !isAdmin) return finish(isDone, "The account is no admin any more.", noSuchAccount);
  const { publicUrl } = await access.facts({});
  return print(`The account is an admin. On ${publicUrl}/admin it ${adminMay}\n`);
}

const adminMay = `sees the state of the server, the queue, domains, certificates and accounts;
retries and gives up queued mail, orders certificates, invites, signs accounts out and deletes them. It sees nobody's
mail or aliases, and can't make another account an admin. \`kauke acts\` lists what it does.`;

const noSuchAccount = "There is no account with this e-mail address or id; `kauke users` prints the ids.";

export const usersUnblock: Command = {
  usage: "users unblock-mailbox <address>",
  about: "lifts the block that a mailbox's reader asked for; the next forwarded message asks the reader again",
  options: {},
  async run({ access, args: [address = ""] }) {
    if (!/^[^@\s]+@[^@\s]+$/.test(address)) return refuse("This is no e-mail address.");
    const done = await (await access())["mailbox-unblock"]({ address });
    return finish(done, "The mailbox is not blocked any more.", "This mailbox is not blocked.");
  },
};

const noAccount = "There is no account with this id; `kauke users` prints them.";
