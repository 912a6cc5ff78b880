/** Endpoints for an account's mailboxes, its defaults for new aliases, and generated aliases. */
import * as z from "zod";
import { aliasWire } from "./alias.ts";
import type { EndpointShapes } from "./endpoint.ts";
import {
  accountDefaults,
  accountDefaultsChange,
  addMailboxBody,
  generateAliasBody,
  generatedName,
  generatedNameBody,
  mailboxAlias,
  mailboxWire,
} from "./mailboxes.ts";

const userParams = z.object({ userId: z.string() });
const mailboxParams = z.object({ mailboxId: z.string() });

export const mailboxEndpoints = {
  listMailboxes: {
    summary: "Mailboxes of the account: those its aliases forward to, those it added, and its own e-mail; oldest first",
    status: 200,
    answer: z.object({ mailboxes: z.array(mailboxWire) }),
  },
  addMailbox: {
    summary: "Add a mailbox to the account and send it the confirmation message",
    body: addMailboxBody,
    status: 201,
    errors: [429],
    answer: mailboxWire,
  },
  listMailboxAliases: {
    summary: "Aliases that forward to a mailbox, and for which of them it is the only destination; newest first",
    params: mailboxParams,
    status: 200,
    answer: z.object({ aliases: z.array(mailboxAlias) }),
  },
  removeMailbox: {
    summary: "Remove a mailbox from the account and from all its aliases, if none of them would be left without one",
    params: mailboxParams,
    status: 200,
    errors: [409, 429],
    answer: z.object({ message: z.string(), changedAliases: z.number() }),
  },
  getAccountDefaults: {
    summary: "What new aliases get if their creator does not say otherwise",
    status: 200,
    answer: accountDefaults,
  },
  changeAccountDefaults: {
    summary: "Change what new aliases get by default",
    body: accountDefaultsChange,
    status: 200,
    errors: [429],
    answer: accountDefaults,
  },
  generateAlias: {
    summary: "Create an alias with a generated name; what is left out comes from the account's defaults",
    params: userParams,
    body: generateAliasBody,
    status: 201,
    errors: [403, 409, 429],
    answer: aliasWire,
  },
  generateName: {
    summary: "A generated name that is free now, without creating the alias",
    params: userParams,
    body: generatedNameBody,
    status: 200,
    errors: [409, 429],
    answer: generatedName,
  },
} as const satisfies Record<string, EndpointShapes>;
