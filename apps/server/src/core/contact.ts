/** People that an account wrote to. They are remembered unless its owner switched that off, which forgets them all. */
import { contactMessages, limits } from "@kauke/contract";
import { AppError, notFound } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

export interface Contact {
  id: string;
  address: string;
  /** Age key; `null` when it is not known. */
  publicKey: string | null;
  lastUsedAt: Date;
}

export interface ContactStore {
  /** The latest first. */
  list(userId: string): Promise<Contact[]>;
  /** Adds people or marks them as used; beyond `max` the oldest go. Does nothing while the account's choice is off. */
  remember(userId: string, addresses: readonly string[], options: { now: Date; max: number }): Promise<void>;
  /** @returns `null`, storing nothing, while the account's choice is off */
  put(
    userId: string,
    contact: Pick<Contact, "address" | "publicKey">,
    options: { now: Date; max: number },
  ): Promise<Contact | null>;
  /** @returns false for a contact that is not the account's */
  delete(userId: string, contactId: string): Promise<boolean>;
  deleteAll(userId: string): Promise<void>;
}

type ContactDeps = LimitDeps & { contacts: ContactStore };

/** @throws AppError `not_possible` while people are not remembered, `rate_limited` */
export async function putContact(
  deps: ContactDeps,
  { userId, address, publicKey }: { userId: string; address: string; publicKey: string | null },
): Promise<Contact> {
  await takeLimit(deps, "contact_change", { userId });
  const options = { now: deps.clock.now(), max: limits.contactsMax };
  const contact = await deps.contacts.put(userId, { address, publicKey }, options);
  if (contact === null) throw new AppError("not_possible", { message: contactMessages.off });
  return contact;
}

/** @throws AppError `not_found` */
export async function deleteContact(
  { contacts }: { contacts: ContactStore },
  { userId, contactId }: { userId: string; contactId: string },
): Promise<void> {
  if (!(await contacts.delete(userId, contactId))) throw notFound("Contact not found");
}
