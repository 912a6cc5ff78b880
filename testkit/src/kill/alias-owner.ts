/**
 * A person who changes their aliases at random through the API and records what was acknowledged. When the server is
 * killed, the outcome of the call in progress is unknown until the person has read their aliases again.
 */
import type { AliasWire, ImportWire } from "@kauke/contract";
import { registerPerson } from "../person.ts";
import type { ForwardingTimeline, Forwards } from "./forwarding-timeline.ts";
import type { Dice } from "./kill-moments.ts";

interface OwnAlias {
  name: string;
  to: readonly string[];
  isActive: boolean;
  isEncrypted: boolean;
}

type OwnAliases = ReadonlyMap<string, OwnAlias>;

export type WantedAlias = AliasWire & { password: string | null; isHeld: boolean };

/** The server did not respond: it was killed. */
export class ServerGone extends Error {}

export interface OwnerParts {
  /** Origin of the server that runs now. */
  url: () => string;
  timeline: ForwardingTimeline;
  dice: Dice;
  /** Acknowledged changes, by kind. */
  counts: Map<string, number>;
}

const DOMAIN = "kauke.test";
/** Few, so that names are used again and again. */
const NAMES_PER_OWNER = 10;
const MAILBOXES = 8;
let registered = 0;

export class AliasOwner {
  readonly #parts: OwnerParts;
  readonly #cookie: string;
  readonly #userId: string;
  readonly #names: readonly string[];
  #keyId = "";
  #aliases: OwnAliases = new Map();
  /** Names of an import that has not ended: after a kill, it goes on a minute later. */
  #importing: readonly string[] = [];
  isGone = false;

  private constructor(parts: OwnerParts, { cookie, userId }: { cookie: string; userId: string }) {
    this.#parts = parts;
    this.#cookie = cookie;
    this.#userId = userId;
    const owner = ++registered;
    this.#names = Array.from({ length: NAMES_PER_OWNER }, (_, number) => `o${owner}-n${number}`);
  }

  /** @throws ServerGone */
  static async register(parts: OwnerParts): Promise<AliasOwner> {
    const { cookie, user } = await registerPerson(parts.url()).catch(gone);
    const owner = new AliasOwner(parts, { cookie, userId: user.id });
    const masterPassword = "correct horse battery";
    const path = "/api/encryption-keys";
    const { key } = await owner.#call<{ key: { id: string } }>("POST", path, { keyName: "mail", masterPassword });
    owner.#keyId = key.id;
    return owner;
  }

  /** What the provider should have, as the API says. */
  async wanted(): Promise<WantedAlias[]> {
    const wanted: WantedAlias[] = [];
    for (const alias of await this.#list()) {
      const path = `/api/smtp-credentials/alias/${alias.id}/password`;
      const { password } = await this.#call<{ password?: string }>("GET", path, undefined, [404]);
      wanted.push({ ...alias, password: password ?? null, isHeld: alias.sealTo === this.#keyId });
    }
    return wanted;
  }

  /** Number of aliases that the provider does not have as wanted, without those that are held. */
  async unfinished(): Promise<number> {
    const path = "/api/forwarding";
    const { counts } = await this.#call<{ counts: { waiting: number; failed: number } }>("GET", path);
    return counts.waiting + counts.failed;
  }

  /** Makes one change. @throws ServerGone */
  async act(): Promise<void> {
    const { dice } = this.#parts;
    if (this.#importing.length > 0) await this.resume();
    const acts = this.#aliases.size < 3 ? [this.#create, this.#import] : this.#acts;
    await dice.oneOf(acts).call(this);
  }

  /** After a restart: reads what became of the call in progress. @throws ServerGone */
  async resume(): Promise<void> {
    const { status } = await this.#fetch("GET", "/api/auth/session");
    this.isGone = status === 401;
    if (this.isGone || !(await this.#isImporting())) this.#importing = [];
    const listed = this.isGone ? [] : await this.#list();
    const settled = listed.filter(({ alias }) => !this.#importing.includes(alias));
    this.#aliases = new Map(settled.map((alias) => [alias.id, this.#read(alias)]));
    const names = this.#names.filter((name) => !this.#importing.includes(name));
    this.#parts.timeline.read(
      names.map((name) => `${name}@${DOMAIN}`),
      forwardsOf(this.#aliases),
    );
  }

  /** Waits for an import that a kill has interrupted. */
  async settle(): Promise<void> {
    await this.#untilImported();
    await this.resume();
  }

  /** Kinds of changes; those listed more than once are made more often. */
  get #acts(): readonly (() => Promise<void>)[] {
    const rare = this.#parts.dice.between(1, 8) === 1 ? [this.#deleteAccount] : [];
    const usual = [this.#create, this.#edit, this.#rename, this.#toggle, this.#delete, this.#bulk, this.#password];
    return [...usual, ...usual, this.#edit, this.#toggle, this.#swap, this.#import, this.#encrypt, ...rare];
  }

  async #create(): Promise<void> {
    const name = this.#freeName();
    if (name === null) return this.#delete();
    const to = this.#destinations();
    const body = { alias: name, domain: DOMAIN, forwardTo: to.join(", ") };
    await this.#change("created", this.#withNew([name], to), async () => {
      const { id } = await this.#call<AliasWire>("POST", `/api/aliases/${this.#userId}`, body);
      return new Map([...this.#aliases, [id, { name, to, isActive: true, isEncrypted: false }]]);
    });
  }

  async #edit(): Promise<void> {
    const [id] = this.#any();
    const to = this.#destinations();
    const body = { forwardTo: to.join(", ") };
    await this.#change("edited", this.#with([id], { to }), () => this.#call("PUT", `/api/aliases/${id}`, body));
  }

  async #rename(): Promise<void> {
    const name = this.#freeName();
    if (name === null) return this.#delete();
    await this.#renameTo(this.#any()[0], name);
  }

  async #renameTo(id: string, name: string): Promise<void> {
    const body = { alias: name };
    await this.#change("renamed", this.#with([id], { name }), () => this.#call("PUT", `/api/aliases/${id}`, body));
  }

  async #swap(): Promise<void> {
    const [one, { name: first }] = this.#any();
    const [two, { name: second }] = this.#any();
    const between = this.#freeName();
    if (one === two || between === null) return this.#edit();
    await this.#renameTo(one, between);
    await this.#renameTo(two, first);
    await this.#renameTo(one, second);
    this.#count("swapped");
  }

  async #toggle(): Promise<void> {
    const [id, { isActive }] = this.#any();
    await this.#change(isActive ? "paused" : "activated", this.#with([id], { isActive: !isActive }), () =>
      this.#call("PATCH", `/api/aliases/${id}/toggle`, { active: !isActive }),
    );
  }

  async #delete(): Promise<void> {
    const [id] = this.#any();
    await this.#change("deleted", this.#without([id]), () => this.#call("DELETE", `/api/aliases/${id}`));
  }

  async #bulk(): Promise<void> {
    const aliasIds = [...new Set([this.#any()[0], this.#any()[0], this.#any()[0]])];
    const to = this.#destinations();
    const changes: [object, OwnAliases][] = [
      [{ active: false }, this.#with(aliasIds, { isActive: false })],
      [{ active: true }, this.#with(aliasIds, { isActive: true })],
      [{ forwardTo: to.join(", ") }, this.#with(aliasIds, { to })],
      [{ delete: true }, this.#without(aliasIds)],
    ];
    const [change, after] = this.#parts.dice.oneOf(changes);
    await this.#change("changed in bulk", after, () => this.#call("POST", "/api/aliases/bulk", { aliasIds, change }));
  }

  async #import(): Promise<void> {
    const names = [...new Set([this.#freeName(), this.#freeName()])].filter((name) => name !== null);
    if (names.length === 0) return this.#delete();
    const to = this.#destinations();
    const rows = names.map((name) => `${name}@${DOMAIN},,True,${to.join(" ")}`);
    this.#importing = names;
    await this.#change("imported", this.#withNew(names, to), async () => {
      const file = Buffer.from(["alias,note,enabled,mailboxes", ...rows].join("\r\n"));
      const { importId } = await this.#call<ImportWire>("POST", "/api/imports", file);
      await this.#call("POST", `/api/imports/${importId}/run`, undefined, [429]);
      await this.#untilImported();
      this.#importing = [];
      return new Map((await this.#list()).map((alias) => [alias.id, this.#read(alias)]));
    });
    // It was not run if another one, interrupted by a kill, had still to be ended.
    await this.resume();
  }

  /** Makes an SMTP credential, or a new password for it, or deletes it. */
  async #password(): Promise<void> {
    const [aliasId] = this.#any();
    const { credentials } = await this.#call<{ credentials: { id: string }[] }>(
      "GET",
      `/api/smtp-credentials/alias/${aliasId}`,
    );
    const path = `/api/smtp-credentials/${credentials[0]?.id}/alias/${aliasId}`;
    if (credentials.length === 0) await this.#call("POST", "/api/smtp-credentials", { aliasId });
    else if (this.#parts.dice.between(1, 4) > 1) await this.#call("PATCH", `${path}/regenerate`);
    else await this.#call("DELETE", path);
    this.#count("passwords changed");
  }

  async #encrypt(): Promise<void> {
    const [id, { isEncrypted }] = this.#any();
    const body = { sealTo: isEncrypted ? "off" : this.#keyId };
    await this.#change("encryption changed", this.#with([id], { isEncrypted: !isEncrypted }), () =>
      this.#call("PUT", `/api/aliases/${id}`, body),
    );
  }

  async #deleteAccount(): Promise<void> {
    await this.#change("accounts deleted", new Map(), () => this.#call("DELETE", "/api/account"));
    this.#importing = [];
    await this.resume();
  }

  /** @param call may return what the aliases are, if ids are new */
  async #change(what: string, after: OwnAliases, call: () => Promise<unknown>): Promise<void> {
    const pending = this.#parts.timeline.begin(forwardsOf(this.#aliases), forwardsOf(after));
    const result = await call();
    pending.acknowledged();
    this.#aliases = result instanceof Map ? (result as OwnAliases) : after;
    this.#count(what);
  }

  #count(what: string): void {
    const { counts } = this.#parts;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  #any(): [string, OwnAlias] {
    return this.#parts.dice.oneOf([...this.#aliases]);
  }

  #freeName(): string | null {
    const used = new Set([...this.#aliases.values()].map(({ name }) => name).concat(this.#importing));
    const free = this.#names.filter((name) => !used.has(name));
    return free.length === 0 ? null : this.#parts.dice.oneOf(free);
  }

  #destinations(): string[] {
    const { dice } = this.#parts;
    const count = dice.between(1, 3);
    const all = Array.from({ length: count }, () => `box${dice.between(1, MAILBOXES)}@mailbox.example`);
    return [...new Set(all)];
  }

  #with(ids: readonly string[], change: Partial<OwnAlias>): OwnAliases {
    return new Map([...this.#aliases].map(([id, alias]) => [id, ids.includes(id) ? { ...alias, ...change } : alias]));
  }

  #withNew(names: readonly string[], to: readonly string[]): OwnAliases {
    const added = names.map((name) => [`new ${name}`, { name, to, isActive: true, isEncrypted: false }] as const);
    return new Map([...this.#aliases, ...added]);
  }

  #without(ids: readonly string[]): OwnAliases {
    return new Map([...this.#aliases].filter(([id]) => !ids.includes(id)));
  }

  #read({ alias, active, forwardTo, lastForwardTo, sealTo }: AliasWire): OwnAlias {
    const to = (active ? forwardTo : (lastForwardTo ?? "")).split(", ");
    return { name: alias, to, isActive: active, isEncrypted: sealTo === this.#keyId };
  }

  async #untilImported(): Promise<void> {
    while (await this.#isImporting()) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async #isImporting(): Promise<boolean> {
    const { imports } = await this.#call<{ imports: ImportWire[] }>("GET", "/api/imports");
    return imports.some(({ state }) => state === "running");
  }

  async #list(): Promise<AliasWire[]> {
    return (await this.#call<{ aliases: AliasWire[] }>("GET", `/api/aliases/${this.#userId}`)).aliases;
  }

  /** @throws ServerGone; Error for other statuses than 2xx and `allowed` */
  async #call<T>(method: string, path: string, body?: object, allowed: readonly number[] = []): Promise<T> {
    const { status, json } = await this.#fetch(method, path, body);
    if ((status > 299 || status < 200) && !allowed.includes(status))
      throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(json)}`);
    return json as T;
  }

  async #fetch(method: string, path: string, body?: object): Promise<{ status: number; json: unknown }> {
    const isFile = body instanceof Uint8Array;
    const type = isFile ? "application/octet-stream" : "application/json";
    const response = await fetch(`${this.#parts.url()}${path}`, {
      method,
      headers: { cookie: this.#cookie, ...(body === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
    }).catch(gone);
    return { status: response.status, json: await response.json().catch(gone) };
  }
}

function gone(thrown: unknown): never {
  throw new ServerGone("the server is gone", { cause: thrown });
}

function forwardsOf(aliases: OwnAliases): Forwards {
  const active = [...aliases.values()].filter(({ isActive, isEncrypted }) => isActive && !isEncrypted);
  return new Map(active.map(({ name, to }) => [`${name}@${DOMAIN}`, to]));
}
