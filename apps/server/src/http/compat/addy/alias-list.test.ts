import { describe, expect, it } from "vitest";
import type { Alias } from "../../../core/alias/alias.ts";
import { pageOf, selectAliases } from "./alias-list.ts";
import { readAliasQuery } from "./alias-query.ts";

const alias = (id: number, change: Partial<Alias> = {}): Alias => ({
  id: String(id),
  userId: "ann",
  name: `name${id}`,
  domain: "kauke.test",
  routing: { state: "active", destinations: [{ kind: "mailbox", address: "ann@inbox.example" }] },
  notes: null,
  providerId: null,
  sealTo: "account",
  labels: [],
  pinned: false,
  writeByAddress: false,
  createdAt: new Date(1_700_000_000_000 + id * 1000),
  ...change,
});
const paused = { state: "paused", lastDestinations: [{ kind: "mailbox", address: "ben@inbox.example" }] } as const;

/** Aliases newest first, as the store lists them. */
const all = [
  alias(5, { name: "beta" }),
  alias(4, { name: "Alpha", pinned: true }),
  alias(3, { routing: paused as unknown as Alias["routing"] }),
  alias(2, { notes: "The SHOP.example account" }),
  alias(1, { name: "gamma", domain: "slapta.test", pinned: true }),
];

const select = (query: Record<string, string>, isRecipient: (address: string) => boolean = () => false) =>
  selectAliases(all, readAliasQuery(query), isRecipient).then((found) => found.map(({ id }) => Number(id)));

describe("a list of aliases", () => {
  it.each([
    [{}, [4, 1, 5, 3, 2]],
    [{ sort: "created_at" }, [1, 4, 2, 3, 5]],
    [{ sort: "email" }, [4, 1, 5, 2, 3]],
    [{ sort: "-local_part" }, [1, 4, 3, 2, 5]],
    [{ sort: "domain" }, [4, 1, 5, 3, 2]],
    [{ sort: "-domain" }, [1, 4, 5, 3, 2]],
    [{ sort: "active" }, [4, 1, 3, 5, 2]],
    [{ sort: "-emails_forwarded" }, [4, 1, 5, 3, 2]],
    [{ sort: "last_used" }, [4, 1, 5, 3, 2]],
    [{ "filter[active]": "false" }, [3]],
    [{ "filter[pinned]": "true" }, [4, 1]],
    [{ "filter[pinned]": "false" }, [5, 3, 2]],
    [{ "filter[search]": "shop.ex" }, [2]],
    [{ "filter[search]": "SLAPTA" }, [1]],
    [{ "filter[search]": "alpha@kauke" }, [4]],
    [{ "filter[deleted]": "only" }, []],
    [{ "filter[deleted]": "with" }, [4, 1, 5, 3, 2]],
  ])("asked for by %j is %j", async (query, ids) => {
    expect(await select(query as Record<string, string>)).toEqual(ids);
  });

  it("filtered by a recipient has the aliases that forward to it, paused ones included", async () => {
    const recipient = { recipient: crypto.randomUUID() };
    expect(await select(recipient, (address) => address === "ben@inbox.example")).toEqual([3]);
    expect(await select(recipient)).toEqual([]);
  });
});

describe("a page", () => {
  const url = new URL("https://kauke.test/api/v1/aliases?sort=-email&page[number]=2&page[size]=2");
  const page = (number: number, items = [1, 2, 3, 4, 5]) => pageOf(items, { number, size: 2 }, { url, toWire: String });

  it("in the middle has links to its neighbours that keep the query", () => {
    const { data, links, meta } = page(2);
    expect(data).toEqual(["3", "4"]);
    expect(links.next).toBe("https://kauke.test/api/v1/aliases?sort=-email&page%5Bnumber%5D=3&page%5Bsize%5D=2");
    expect(links.prev).toContain("page%5Bnumber%5D=1");
    expect(meta).toMatchObject({ current_page: 2, from: 3, to: 4, last_page: 3, per_page: 2, total: 5 });
    expect(meta.path).toBe("https://kauke.test/api/v1/aliases");
  });

  it("at either end of the list has no link beyond the end", () => {
    expect(page(1).links.prev).toBeNull();
    expect(page(3).links.next).toBeNull();
    expect(page(3).data).toEqual(["5"]);
  });

  it("after the last one is empty, and so is the first one of an empty list", () => {
    expect(page(9)).toMatchObject({ data: [], links: { next: null }, meta: { from: null, to: null, total: 5 } });
    expect(page(1, [])).toMatchObject({
      data: [],
      links: { prev: null, next: null },
      meta: { last_page: 1, total: 0 },
    });
  });
});
