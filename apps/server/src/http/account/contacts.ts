import type { ContactWire } from "@kauke/contract";
import { type Contact, deleteContact, putContact } from "../../core/contact.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import type { Handlers } from "../handler.ts";

export function contactHandlers(deps: CoreDeps) {
  return {
    listContacts: async ({ userId }) => ({ contacts: (await deps.contacts.list(userId)).map(contactToWire) }),
    putContact: async ({ userId, body }) => contactToWire(await putContact(deps, { userId, ...body })),
    async deleteContact({ userId, params }) {
      await deleteContact(deps, { userId, ...params });
      return { message: "Contact deleted" };
    },
    async deleteContacts({ userId }) {
      await deps.contacts.deleteAll(userId);
      return { message: "Contacts deleted" };
    },
  } satisfies Partial<Handlers>;
}

function contactToWire({ lastUsedAt, ...contact }: Contact): ContactWire {
  return { ...contact, lastUsedAt: lastUsedAt.toISOString() };
}
