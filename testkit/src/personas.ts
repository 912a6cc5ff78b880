/** The people in tests, seed data and browser journeys: one typed list, each created through the real API. */
import type { CreateAliasBody } from "@kauke/contract";

export interface Persona {
  email: string;
  password: string;
  about: string;
  aliases: readonly CreateAliasBody[];
  /** Indexes of the paused aliases in `aliases`. */
  paused: readonly number[];
  /** Creates the account and its aliases on the server at `url`. @returns false when the account already exists */
  create(url: string): Promise<boolean>;
}

const password = "kaukes-demo-2025";
const own = "jonas@example.org";
const hook = "https://hooks.example.org/mail";

const some: CreateAliasBody[] = [
  { alias: "bank.lt", domain: "kauke.test", forwardTo: own, notes: "Bank statements" },
  { alias: "shop.k7", domain: "kauke.test", forwardTo: own, notes: "Online orders and parcel lockers in Vilnius" },
  { alias: "ci.alerts", domain: "tyla.test", forwardTo: `${hook}, ${own}`, notes: "Build failures" },
  { alias: "forum.q4", domain: "rukas.test", forwardTo: own, notes: "Leaked in March, keep it paused" },
  { alias: "news.7h2", domain: "kauke.test", forwardTo: own, notes: "Newsletters" },
  {
    alias: "rent",
    domain: "vejas.test",
    forwardTo: `${own}, rasa@example.org`,
    notes: "Landlord and utilities, forward to both of us",
  },
  { alias: "gym", domain: "kauke.test", forwardTo: own, notes: "Trial ended" },
  { alias: "travel.26", domain: "kauke.test", forwardTo: own, notes: "Tickets" },
];

const many: CreateAliasBody[] = Array.from({ length: 48 }, (_, index) => ({
  alias: `list.${String(index + 1).padStart(2, "0")}`,
  domain: ["kauke.test", "slapta.test", "vejas.test"][index % 3] as string,
  forwardTo: index % 7 === 0 ? hook : own,
  notes: `Mailing list ${index + 1}`,
}));

/**
 * Prefixes the names of aliases, since alias addresses are unique over all accounts and several personas have the same
 * list.
 */
const ownNames = (aliases: readonly CreateAliasBody[], prefix: string): CreateAliasBody[] =>
  aliases.map((row) => ({ ...row, alias: `${prefix}${row.alias}` }));

export const personas = {
  empty: persona("empty@people.example", "an account with nothing in it yet", []),
  some: persona("some@people.example", "eight aliases, two of them paused", some, [3, 6]),
  full: persona("full@people.example", "48 aliases on three domains", many),
  paused: persona("paused@people.example", "everything paused", ownNames(some.slice(0, 3), "p."), [0, 1, 2]),
} satisfies Record<string, Persona>;

function persona(
  email: string,
  about: string,
  aliases: readonly CreateAliasBody[],
  paused: readonly number[] = [],
): Persona {
  return { email, password, about, aliases, paused, create: (url) => create(url, { email, aliases, paused }) };
}

async function create(url: string, wanted: Pick<Persona, "email" | "aliases" | "paused">): Promise<boolean> {
  const known = await post(`${url}/api/auth/login`, { email: wanted.email, password });
  if (known.status === 200) return false;
  const registered = await post(`${url}/api/auth/register`, { email: wanted.email, password });
  if (registered.status !== 201) throw new Error(`seeding an account answered ${registered.status}`);
  const cookie = (registered.headers.get("set-cookie") ?? "").split(";", 1)[0] as string;
  const { user } = (await registered.json()) as { user: { id: string } };
  for (const [index, alias] of wanted.aliases.entries()) {
    const made = await post(`${url}/api/aliases/${user.id}`, alias, cookie);
    if (made.status !== 201) throw new Error(`seeding an alias answered ${made.status}`);
    const { id } = (await made.json()) as { id: string };
    if (wanted.paused.includes(index))
      await post(`${url}/api/aliases/${id}/toggle`, { active: false }, cookie, "PATCH");
  }
  return true;
}

function post(url: string, body: unknown, cookie = "", method = "POST"): Promise<Response> {
  return fetch(url, { method, headers: { "content-type": "application/json", cookie }, body: JSON.stringify(body) });
}
