import type { AccountDefaultsWire, GenerateAliasBody, MailboxWire } from "@kauke/contract";
import { findFreeName, type GenerateInput, generateAlias } from "../../core/alias/generate-alias.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { decideByLink, readLink, requestConfirmation } from "../../core/destination/confirmation.ts";
import { resumeMailbox } from "../../core/destination/destination.ts";
import { checkLoginSession } from "../../core/login-session.ts";
import { type AccountDefaults, changeDefaults, readAccountDefaults } from "../../core/mailbox/account-defaults.ts";
import { addMailbox, listMailboxes } from "../../core/mailbox/list-mailboxes.ts";
import type { ListedMailbox } from "../../core/mailbox/mailbox.ts";
import { listMailboxUses, type MailboxUse, removeMailbox } from "../../core/mailbox/remove-mailbox.ts";
import { aliasWriter } from "../aliases/routes.ts";
import { destinationsOfText } from "../aliases/wire.ts";
import type { Handlers } from "../handler.ts";

export function mailboxHandlers(deps: CoreDeps) {
  return {
    async listMailboxes({ userId }) {
      return { mailboxes: (await listMailboxes(deps, userId)).map(mailboxToWire) };
    },
    async addMailbox({ userId, body }) {
      return mailboxToWire(await addMailbox(deps, { userId, ...body }));
    },
    async listMailboxAliases({ userId, params }) {
      return { aliases: (await listMailboxUses(deps, { userId, ...params })).map(mailboxUseToWire) };
    },
    async removeMailbox({ userId, params }) {
      return { message: "Mailbox removed", changedAliases: await removeMailbox(deps, { userId, ...params }) };
    },
    async getAccountDefaults({ userId }) {
      return defaultsToWire(await readAccountDefaults(deps, userId));
    },
    async changeAccountDefaults({ userId, body }) {
      return defaultsToWire(await changeDefaults(deps, userId, body));
    },
    async generateAlias({ userId, body, key }) {
      const input = generateInputFromWire(userId, body);
      const alias = await generateAlias(deps, input, key === null ? "session" : "key");
      return aliasWriter(deps)(alias);
    },
    async generateName({ userId, body }) {
      const { name, domain } = await findFreeName(deps, { userId, ...body });
      return { alias: name, domain };
    },
  } satisfies Partial<Handlers>;
}

function mailboxToWire({ createdAt, address, ...mailbox }: ListedMailbox): MailboxWire {
  const confirmed = mailbox.state === "confirmed";
  return { ...mailbox, email: address, confirmed, createdAt: createdAt.toISOString() };
}

function mailboxUseToWire({ alias: { id, name, domain }, isOnly }: MailboxUse) {
  return { id, alias: name, domain, isOnly };
}

function defaultsToWire({ mailbox, ...defaults }: AccountDefaults): AccountDefaultsWire {
  return { ...defaults, mailboxId: mailbox?.id ?? null };
}

function generateInputFromWire(userId: string, { forwardTo, ...body }: GenerateAliasBody): GenerateInput {
  return { userId, ...body, destinations: forwardTo === undefined ? undefined : destinationsOfText(forwardTo) };
}

export function confirmationHandlers(deps: CoreDeps) {
  return {
    async readConfirmation({ body }) {
      return readLink(deps, body.token);
    },
    async answerConfirmation({ body, cookie }) {
      const session = cookie.token === null ? null : await checkLoginSession(deps, cookie.token);
      return decideByLink(deps, { ...body, signedInUserId: session?.userId ?? null });
    },
    async resumeMailbox({ userId, body }) {
      await resumeMailbox(deps, { userId, ...body });
      return { message: "Mailbox resumed" };
    },
    async askConfirmation({ userId, body }) {
      return { state: await requestConfirmation(deps, { userId, ...body }) };
    },
  } satisfies Partial<Handlers>;
}
