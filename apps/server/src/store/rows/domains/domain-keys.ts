/** DKIM keys of own domains: made when a domain is added, sealed in rows, opened when mail is signed. */
import { createPrivateKey, generateKeyPair, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { type DkimKey, type PublicDkimKey, publicDkimKey } from "@kauke/mail-rfc";
import type { AccountDomainKeys, ProvenDomains } from "../../../core/domain/account-domain.ts";
import { bounds } from "../../../limits/table.ts";
import { FairMap } from "../../../runtime/fair-map.ts";
import type { AccountDomainKeyTable } from "../../domain-tables.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";

interface DomainKeyDocument {
  /** PKCS #8 in DER, as base64. */
  privateKey: string;
  /** Text of the TXT record. */
  text: string;
}

/** Both are published, so that a rotation needs no change in DNS. */
const selectors = [
  { selector: "kauke1", state: "signs" },
  { selector: "kauke2", state: "next" },
] as const;

const makePair = promisify(generateKeyPair);

export interface DomainKey {
  key: DkimKey;
  state: AccountDomainKeyTable["state"];
}

export function makeDomainKeys(domain: string): Promise<DomainKey[]> {
  return Promise.all(
    selectors.map(async ({ selector, state }) => {
      const { privateKey } = await makePair("rsa", { modulusLength: 2048 });
      return { key: { domain, selector, algorithm: "rsa-sha256", privateKey }, state };
    }),
  );
}

export function sealedKeyRow(
  keys: ServerKeys,
  { key, state, domainId, now }: DomainKey & { domainId: string; now: Date },
): AccountDomainKeyTable {
  const id = randomUUID();
  const privateKey = key.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
  const document: DomainKeyDocument = { privateKey, text: publicDkimKey(key).text };
  const sealed = keys.seal("account_domain_key", id, document);
  return { id, domain_id: domainId, selector: key.selector, state, created_at: now, sealed };
}

/** The key that signs first. */
export function publicKeysOf(
  keys: ServerKeys,
  { domain, rows }: { domain: string; rows: readonly AccountDomainKeyTable[] },
): PublicDkimKey[] {
  const inOrder = [...rows].sort((a, b) => (a.selector < b.selector ? -1 : 1));
  const order = [...inOrder.filter((row) => row.state === "signs"), ...inOrder.filter((row) => row.state === "next")];
  return order.map((row) => ({ domain, selector: row.selector, text: openKey(keys, row).text }));
}

const openKey = (keys: ServerKeys, { id, sealed }: AccountDomainKeyTable) =>
  keys.open<DomainKeyDocument>("account_domain_key", id, sealed);

export function accountDomainKeys(context: StoreContext, proven: ProvenDomains): AccountDomainKeys {
  const opened = new FairMap<Promise<readonly DkimKey[]>>({ all: bounds.remembered.accountDkimKeys });
  return {
    async of(domain) {
      const found = proven.find(domain);
      if (found === null) return [];
      const known = opened.get(found.id);
      if (known !== undefined) return await known;
      const opening = readKeys(context, { domain, domainId: found.id });
      opened.set(found.id, opening, { party: found.userId, size: 1 });
      // A failed read is not remembered, so that the message is tried again.
      opening.catch(() => opened.delete(found.id));
      return await opening;
    },
  };
}

async function readKeys(
  { db, keys }: StoreContext,
  { domain, domainId }: { domain: string; domainId: string },
): Promise<readonly DkimKey[]> {
  const signing = db.selectFrom("account_domain_key").selectAll().where("domain_id", "=", domainId);
  const rows = await signing.where("state", "=", "signs").execute();
  return rows.map((row) => {
    const der = Buffer.from(openKey(keys, row).privateKey, "base64");
    const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    return { domain, selector: row.selector, algorithm: "rsa-sha256", privateKey };
  });
}
