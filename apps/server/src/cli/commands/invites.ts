import { isMailbox } from "@kauke/contract";
import type { InviteSummary, NewInvite } from "../control/control-protocol.ts";
import { inviteDays, isInviteDays } from "../control/invite-calls.ts";
import { type Command, finish, jsonText, minuteOf, oneWord, print, refuse } from "./command.ts";

export const usersInvite: Command = {
  usage: "users invite",
  about: "prints a link with which one person can register, once",
  options: {
    "for <address>": "admits only an account with this e-mail address",
    "days <number>": `days until the link expires, ${inviteDays.min} to ${inviteDays.max}; ${inviteDays.default} without it`,
  },
  async run({ access, values }) {
    const days = Number(values.days ?? inviteDays.default);
    if (!isInviteDays(days))
      return refuse(`--days must be a whole number from ${inviteDays.min} to ${inviteDays.max}.`);
    const address = typeof values.for === "string" ? values.for : "";
    if (values.for !== undefined && !isMailbox(address.trim())) return refuse("--for needs an e-mail address.");
    const invite = await (await access())["invites-create"]({ address, days });
    if (values.json === true) return print(jsonText(invite));
    return print(`${invite.link}\n\n${aboutInvite(invite)}\n`);
  },
};

function aboutInvite({ id, expiresAt, registration }: NewInvite): string {
  const lines = [
    `It works once, until ${minuteOf(expiresAt)} UTC. Only a hash of it is stored, so it can't be shown again.`,
    `To revoke it: kauke users uninvite ${id}`,
  ];
  if (registration === "open") lines.push("Registration is open, so nobody needs it: set KAUKE_REGISTRATION=invite.");
  if (registration === "closed") lines.push("Registration is closed: it works once KAUKE_REGISTRATION is invite.");
  return lines.join("\n");
}

export const usersInvitations: Command = {
  usage: "users invitations",
  about: "lists open invitations: id, creation, end, whether for one address only",
  options: { "show-addresses": "also prints e-mail addresses" },
  async run({ access, values }) {
    const invites = await (await access())["invites-list"]({ withAddress: values["show-addresses"] === true });
    if (values.json === true) return print(jsonText(invites));
    return print(
      invites.length === 0 ? "There are no open invitations.\n" : `${heading}${invites.map(lineOf).join("")}`,
    );
  },
};

const heading = `${"id".padEnd(36)}  created           expires           for\n`;

function lineOf({ id, createdAt, expiresAt, isBound, address }: InviteSummary): string {
  const whom = typeof address === "string" ? oneWord(address) : isBound ? "one address" : "anybody";
  return `${id}  ${minuteOf(createdAt)}  ${minuteOf(expiresAt)}  ${whom}\n`;
}

export const usersUninvite: Command = {
  usage: "users uninvite <id>",
  about: "revokes an open invitation",
  options: {},
  async run({ access, args: [id = ""] }) {
    const done = await (await access())["invites-revoke"]({ id });
    return finish(done, "The invitation is revoked.", noInvite);
  },
};

const noInvite = "There is no open invitation with this id; `kauke users invitations` prints them.";
