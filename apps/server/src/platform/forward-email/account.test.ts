import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ProviderAccount, type ProviderCopy, ProviderError } from "../../core/forwarding/provider-account.ts";
import { DOMAIN, providerOf, record, TestAlias } from "./provider.testing.ts";

const closers = closeAfterEach();
const { signal } = new AbortController();
let fake: FakeForwardEmail;
let account: ProviderAccount;

beforeEach(async () => {
  fake = await FakeForwardEmail.start({ domains: [DOMAIN] });
  closers.push(() => fake.close());
  const provider = providerOf(fake);
  if (provider.account === null) throw new Error("no account");
  account = provider.account;
});
afterEach(() => expect(fake.violations).toEqual([]));

async function allCopies(domain = DOMAIN): Promise<ProviderCopy[]> {
  const all: ProviderCopy[] = [];
  for await (const page of account.copies(domain, signal)) all.push(...page);
  return all;
}

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof ProviderError ? error.problem : error),
  );

describe("domains", () => {
  test("one of the account is shown with what it lacks", async () => {
    Object.assign(fake.domain(DOMAIN), { has_smtp: false, has_txt_record: false });
    expect(await account.domain(DOMAIN, signal)).toEqual({
      domain: DOMAIN,
      isShared: false,
      // The provider says `has_catchall: true`, but there is none.
      hasCatchAll: false,
      hasMxRecord: true,
      hasTxtRecord: false,
      verificationRecord: fake.domain(DOMAIN).verification_record,
      maySend: false,
      isSendingSuspended: false,
    });
    expect(await account.domain("absent.example", signal)).toBeNull();
  });

  test("one is added without a catch-all, and adding it again changes nothing", async () => {
    for (let times = 0; times < 2; times++) {
      const added = await account.addDomain("new.example", signal);
      expect(added).toMatchObject({ domain: "new.example", hasCatchAll: false, hasMxRecord: false, maySend: false });
    }
    expect(fake.aliases("new.example")).toEqual([]);
    expect(await problemOf(account.addDomain("no domain", signal))).toBe("refused");
  });

  test("a catch-all is found", async () => {
    fake.putAlias(`*@${DOMAIN}`, { recipients: ["owner@account.example"] });
    expect(await account.domain(DOMAIN, signal)).toMatchObject({ hasCatchAll: true });
  });

  test("the provider checks the records when asked to", async () => {
    expect(await account.verify(DOMAIN, "forwarding", signal)).toBe(true);
    fake.domain(DOMAIN).has_dkim_record = false;
    expect(await account.verify(DOMAIN, "sending", signal)).toBe(false);
    expect(await problemOf(account.verify("absent.example", "sending", signal))).toBe("domain_missing");
  });
});

describe("standing", () => {
  test("plan and messages of today", async () => {
    expect(await account.standing(signal)).toEqual({
      plan: "enhanced_protection",
      sending: { count: 0, limit: expect.any(Number) },
    });
  });

  test("the plan alone, when the count may not be asked for so often", async () => {
    fake.faultFor(({ path }) => (path.endsWith("/limit") ? { kind: "status", status: 429 } : null));
    expect(await account.standing(signal)).toEqual({ plan: "enhanced_protection", sending: null });
  });

  test("no text of the provider", async () => {
    const body = { plan: "<b>free</b>", count: "many", limit: null };
    fake.faultFor(() => ({ kind: "status", status: 200, body }));
    expect(await account.standing(signal)).toEqual({ plan: null, sending: null });
  });

  test("a refused key", async () => {
    fake.faultFor(() => ({ kind: "status", status: 401 }));
    expect(await problemOf(account.standing(signal))).toBe("key_refused");
  });
});

describe("copies", () => {
  function fill(count: number): void {
    for (let number = 0; number < count; number++)
      fake.putAlias(`a${number}@${DOMAIN}`, { recipients: ["ann@mailbox.example"] });
  }

  test("ours have their alias' id", async () => {
    const alias = new TestAlias(providerOf(fake));
    await alias.bring(record("shop", { isEnabled: false, codeIfDisabled: 421 }));
    fake.putAlias(`other@${DOMAIN}`, { recipients: ["https://hooks.example/in"], description: "kauke:no-id" });
    expect(await allCopies()).toEqual([
      {
        providerId: alias.known.providerId,
        address: `shop@${DOMAIN}`,
        recipients: ["ann@mailbox.example"],
        isEnabled: false,
        codeIfDisabled: 421,
        aliasId: alias.aliasId,
      },
      expect.objectContaining({ address: `other@${DOMAIN}`, aliasId: null }),
    ]);
  });

  test.each([1000, 100])("are read to the end, whatever the headers say, in pages of %i", async (size) => {
    fill(1200);
    fake.store.maxPageSize = size;
    expect(new Set((await allCopies()).map(({ address }) => address)).size).toBe(1200);
    expect(fake.calls).toHaveLength(Math.ceil(1200 / size) + 1);
  });

  test("an alias that is made between two pages is not told twice", async () => {
    fill(300);
    fake.store.maxPageSize = 100;
    const seen: string[] = [];
    for await (const page of account.copies(DOMAIN, signal)) {
      seen.push(...page.map(({ providerId }) => providerId));
      if (seen.length === 100) fake.putAlias(`early@${DOMAIN}`, { createdAt: new Date(0) });
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(300);
  });

  const entry = (id: string) => ({ id, name: id, domain: { name: DOMAIN }, recipients: [], is_enabled: true });

  test("one page again and again ends", async () => {
    const body = [entry("one"), entry("one"), entry("two")];
    fake.faultFor(() => ({ kind: "status", status: 200, body }));
    expect(await allCopies()).toHaveLength(2);
    expect(fake.calls).toHaveLength(2);
  });

  test("pages without end are an error, not a list that looks whole", async () => {
    fake.faultFor(() => ({ kind: "status", status: 200, body: [entry(`a${fake.calls.length}`)] }));
    expect(await problemOf(allCopies())).toBe("broken_response");
    expect(fake.calls).toHaveLength(200);
  });

  test("a page longer than was asked for is an error", async () => {
    fake.faultFor(() => ({
      kind: "status",
      status: 200,
      body: Array.from({ length: 1001 }, (_, number) => entry(`${fake.calls.length}-${number}`)),
    }));
    expect(await problemOf(allCopies())).toBe("broken_response");
    expect(fake.calls).toHaveLength(1);
  });

  test("entries of other domains, and those that are no aliases, are left out", async () => {
    const strange = [{ ...entry("x"), domain: { name: "other.example" } }, null, 7, { id: "y" }, entry("\u001b[2J")];
    fake.faultFor(() => ({ kind: "status", status: 200, body: [...strange, entry("good")] }));
    expect(await allCopies()).toMatchObject([{ providerId: "good" }]);
  });

  test("of a domain that is not there", async () => {
    const page = account.copies("absent.example", signal)[Symbol.asyncIterator]().next();
    expect(await problemOf(page)).toBe("domain_missing");
  });
});

describe("a domain with other letters, which the provider has in Unicode", () => {
  const ascii = "xn--kauk-yva.example";

  test("is found by our name for it, and so are its aliases", async () => {
    await account.addDomain(ascii, signal);
    expect(fake.domain(ascii).name).toBe("kaukė.example");
    expect(await account.domain(ascii, signal)).toMatchObject({ domain: ascii, hasCatchAll: false });
    const alias = new TestAlias(providerOf(fake));
    const wanted = record("shop", { domain: ascii, password: "a-password-of-24-letters" });
    expect(await alias.bring(wanted)).toMatchObject({ kind: "done", known: { address: `shop@${ascii}` } });
    expect(await alias.bring({ ...wanted, isEnabled: false })).toMatchObject({ kind: "done" });
    expect(await alias.bring({ ...wanted, name: "store" }, { isRecheck: true })).toMatchObject({ kind: "done" });
    expect(await allCopies(ascii)).toMatchObject([{ address: `store@${ascii}`, aliasId: alias.aliasId }]);
    expect(await account.copyAt(`store@${ascii}`, signal)).toMatchObject({ aliasId: alias.aliasId });
    expect(await alias.bring(null)).toMatchObject({ kind: "done" });
    expect(fake.aliases(ascii)).toEqual([]);
  });

  test("is read in either form", async () => {
    const body = { id: "one", name: "shop", domain: { name: ascii }, recipients: [], is_enabled: true };
    fake.faultFor(() => ({ kind: "status", status: 200, body }));
    expect(await account.copyAt(`shop@${ascii}`, signal)).toMatchObject({ address: `shop@${ascii}` });
  });
});
