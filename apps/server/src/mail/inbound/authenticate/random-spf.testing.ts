/**
 * Random SPF records, DNS zones and messages for comparing our evaluation with mailauth's. The number of a case alone
 * determines it. Most records are valid; about one in four has a change that may make a syntax error of it.
 */
import type { SpfRecordType, SpfSender } from "@kauke/mail-rfc";

export interface SpfCase {
  claim: SpfSender;
  /** Records by type and name, e.g. `TXT a.example`; `null` for a query that gets no answer. */
  records: Map<string, readonly string[] | null>;
}

/** @returns random numbers from 0 up to the given one, always the same for a seed (mulberry32) */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

const names = ["a.example", "b.example", "c.example", "mail.a.example", "_spf.a.example", "x-1.b.example", "d.example"];
const odd = [
  "example",
  "a..example",
  "a.example.",
  `${"l".repeat(64)}.example`,
  "a.1",
  "A.Example",
  "foo:bar/baz.example",
  `${"long.".repeat(52)}example`,
  "a.ex-ample",
  "a.-example",
];
const clients = ["192.0.2.1", "192.0.2.129", "2001:db8::1", "::ffff:192.0.2.1", "2001:db8:1::2", "198.51.100.7"];
const ip4 = ["192.0.2.1", "192.0.2.129", "198.51.100.7", "198.51.100.8", "203.0.113.9"];
const ip6 = ["2001:db8::1", "2001:db8:1::2", "2001:DB8:0:0::1", "::192.0.2.1", "::ffff:192.0.2.1", "::", "2001:db8::"];
const helos = [
  "mail.a.example",
  "b.example",
  "[192.0.2.1]",
  "localhost",
  "Mail.A.Example",
  "not a name",
  "d_e.example",
];
const locals = ["ann", "ann-lists+tag", "", '"a@b"', "Ann.B", "žana", "a=b/c", "~a&b"];
const macros = ["%{s}", "%{l}", "%{o}", "%{d}", "%{i}", "%{ir}", "%{p}", "%{v}", "%{h}", "%{d2}", "%{l1r-}", "%{LR+-}"];
const oddMacros = ["%{O}", "%{H}", "%%", "%_", "%-", "%{d0}", "%{x}", "%{c}", "%{t}", "%(d)", "%", "%{d1}", "%{dr.}"];
const changes = [" ", "/", ":", "=", "%", "\t", "é", "\0", "+", "all", "1", ".", "//", "//129", "/33", "/032", "moo"];

class Maker {
  readonly #random: (below: number) => number;
  readonly records = new Map<string, readonly string[] | null>();

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  #is(percent: number): boolean {
    return this.#random(100) < percent;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#random(list.length)] as T;
  }

  #many<T>(max: number, make: () => T): T[] {
    return Array.from({ length: this.#random(max + 1) }, make);
  }

  make(): SpfCase {
    for (const name of names) this.#describe(name);
    const clientAddress = this.#one(clients);
    const claim = { clientAddress, helo: this.#one(helos), sender: this.#is(10) ? "" : this.#sender() };
    for (const text of [
      "1.2.0.192.in-addr.arpa",
      "129.2.0.192.in-addr.arpa",
      `1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`,
    ])
      if (this.#is(60)) this.records.set(`PTR ${text}`, this.#is(8) ? null : this.#many(12, () => this.#one(names)));
    return { claim, records: this.records };
  }

  #sender(): string {
    if (this.#is(2)) return this.#one(names);
    return `${this.#one(locals)}@${this.#is(6) ? this.#one([...odd, "ž.example", "d_e.example"]) : this.#one(names.slice(0, 4))}`;
  }

  #describe(name: string): void {
    const set = (type: SpfRecordType, percent: number, make: () => readonly string[]) => {
      if (this.#is(percent)) this.records.set(`${type} ${name}`, this.#is(3) ? null : make());
    };
    set("TXT", 93, () => this.#texts());
    set("A", 55, () => this.#many(3, () => this.#one(ip4)));
    set("AAAA", 40, () => this.#many(3, () => this.#one(ip6)));
    set("MX", 55, () => this.#many(this.#is(10) ? 13 : 3, () => this.#one(this.#is(4) ? ["", "localhost"] : names)));
  }

  #texts(): string[] {
    const record = this.#record();
    if (this.#is(3)) return [record, this.#record()];
    return this.#is(20) ? ["proof=1", record, "v=spf10 -all"] : [record];
  }

  #record(): string {
    const terms = Array.from({ length: 1 + this.#random(this.#is(10) ? 12 : 5) }, () => this.#term());
    const text = [this.#one(["v=spf1", "v=spf1", "V=SPF1"]), ...terms].join(this.#is(5) ? "  " : " ");
    if (!this.#is(25)) return text;
    const at = this.#random(text.length + 1);
    return text.slice(0, at) + this.#one(changes) + text.slice(at + (this.#is(50) ? 1 : 0));
  }

  #term(): string {
    const qualifier = this.#one(["", "", "", "-", "~", "?", "+"]);
    switch (this.#random(13)) {
      case 0:
        return `${qualifier}all`;
      case 1:
      case 2:
        return `${qualifier}ip4:${this.#one(ip4)}${this.#one(["", "/24", "/0", "/25", "/32", "/31"])}`;
      case 3:
      case 4:
        return `${qualifier}ip6:${this.#one(ip6)}${this.#one(["", "/32", "/0", "/48", "/128", "/127"])}`;
      case 5:
        return `${qualifier}${this.#one(["a", "A"])}${this.#hosts()}`;
      case 6:
        return `${qualifier}mx${this.#hosts()}`;
      case 7:
      case 8:
        return `${qualifier}include:${this.#domain()}`;
      case 9:
        return `${qualifier}exists:${this.#domain()}`;
      case 10:
        return `${qualifier}ptr${this.#is(50) ? "" : `:${this.#domain()}`}`;
      case 11:
        return `redirect=${this.#domain()}`;
      default:
        return `${this.#one(["exp", "x", "m.a-x_1"])}=${this.#domain()}`;
    }
  }

  #hosts(): string {
    const domain = this.#is(40) ? "" : `:${this.#domain()}`;
    return `${domain}${this.#one(["", "", "/24", "/0", "/24//64", "//64", "//0", "/16//0"])}`;
  }

  #domain(): string {
    if (this.#is(70)) return this.#one(names);
    if (this.#is(25)) return this.#one(odd);
    const macro = this.#one(this.#is(15) ? oddMacros : macros);
    return this.#one([macro, `${macro}.${this.#one(names)}`, `x${macro}.${macro}.a.example`, `_spf.${macro}`]);
  }
}

export function randomSpfCase(seed: number): SpfCase {
  return new Maker(seed).make();
}
