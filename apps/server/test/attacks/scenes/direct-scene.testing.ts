/**
 * A scene whose server delivers directly: the bystander's mailbox has a mail host of its own, and so has every other
 * domain, at addresses of 127.0.0.0/8 on one port. The server runs in a process of its own and queries a DNS that is a
 * table.
 */
import { fileURLToPath } from "node:url";
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx, type FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { startTarpit, type Tarpit, type TarpitKind } from "@kauke/testkit/fakes/tarpit";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { startServerProcess } from "@kauke/testkit/server-process";
import type { Scene } from "./bystander.testing.ts";

const program = fileURLToPath(new URL("direct-server.testing.ts", import.meta.url));
const manyAccounts = ["register", "login_ip", "alias_create", "password_reset_ip"]
  .map((it) => `${it}=100000/3600`)
  .join();

export interface DirectScene extends Scene {
  dns: FakeDnsServer;
  /** Port on which all mail hosts listen, each at an address of its own. */
  smtpPort: number;
  /** Adds a domain with a mail host that wastes the sender's time. */
  addTarpit(domain: string, kind: TarpitKind): Promise<Tarpit>;
  /** Adds a domain with a mail host. */
  addHost(domain: string, options?: FakeMxOptions): Promise<FakeMx>;
  /** Creates an alias with a random name. @returns its address */
  aliasTo(person: Person, forwardTo: string): Promise<string>;
}

export async function startDirectScene(env: Record<string, string> = {}): Promise<DirectScene> {
  const relay = await FakeMx.start({ host: "127.0.7.1" });
  const dns = await startFakeDnsServer();
  const open: AsyncDisposable[] = [relay, dns];
  let hosts = 0;
  const newAddress = (domain: string) => {
    const address = `127.0.8.${++hosts}`;
    publishHost(dns, domain, address);
    return address;
  };
  publishHost(dns, "inbox.example", "127.0.7.1");
  const server = await startServerProcess({
    program,
    env: {
      TEST_SMTP_PORT: String(relay.port),
      KAUKE_DELIVERY: "direct",
      KAUKE_DNS_SERVERS: dns.address,
      KAUKE_WEBHOOK_ALLOW: "127.0.0.0/8",
      KAUKE_LIMITS: manyAccounts,
      ...env,
    },
  });
  const owner = await registerPerson(server.url);
  const aliasTo = async (person: Person, forwardTo: string) => {
    const { alias, domain } = await person.createAlias({ forwardTo });
    return `${alias}@${domain}`;
  };
  return {
    server,
    relay,
    owner,
    dns,
    alias: await aliasTo(owner, "bystander@inbox.example"),
    smtpPort: relay.port,
    aliasTo,
    async addTarpit(domain, kind) {
      const tarpit = await startTarpit({ kind, host: newAddress(domain), port: relay.port });
      open.push(tarpit);
      return tarpit;
    },
    async addHost(domain, options = {}) {
      const mx = await FakeMx.start({ ...options, host: newAddress(domain), port: relay.port });
      open.push(mx);
      return mx;
    },
    async [Symbol.asyncDispose]() {
      await server.kill();
      for (const it of open) await it[Symbol.asyncDispose]();
    },
  };
}

/** Adds the DNS records of a domain whose only mail host has this address. */
function publishHost({ zone }: FakeDnsServer, domain: string, address: string): void {
  zone[domain] = { mx: [[1, `mx.${domain}`]] };
  zone[`mx.${domain}`] = { a: [address] };
}
