/**
 * From a bare Debian to proven mail, as somebody does who has a domain, a server and the credential of the domain's DNS:
 * two commands. Then an upgrade with mail in the queue, and the end. Needs root, the programs of packages (`.ci/run`)
 * and a Debian mirror; the machine and the world outside it are two networks of their own.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { hasKnot } from "@kauke/testkit/programs/knot";
import { hasPebble } from "@kauke/testkit/programs/pebble";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { CheckResult } from "../../apps/server/src/cli/doctor/check-result.ts";
import { repositoryRoot } from "../source-files.ts";
import { DebianRoot } from "./debian-root.testing.ts";
import { Outside, outside, type PageResponse } from "./outside.testing.ts";
import { hasProgram } from "./programs.ts";

const programs = ["ip", "nsenter", "systemd-nspawn", "mmdebstrap", "dpkg-deb"];
const missing = programs.find((name) => !hasProgram(name)) ?? (hasKnot && hasPebble ? null : "knot or pebble");
if (missing !== null) console.log(`The way from a bare Debian is not tested: ${missing} not found.`);

const { domain, operator, stranger } = outside;
const networks = { machine: `kauke-machine-${process.pid}`, outside: `kauke-outside-${process.pid}` };
const seconds = (since: number) => Math.round((performance.now() - since) / 1000);

vi.setConfig({ testTimeout: 600_000, hookTimeout: 1_800_000 });

describe.skipIf(missing !== null || process.arch !== "x64" || process.getuid?.() !== 0)("from a bare Debian", () => {
  let folder: string;
  let debian: DebianRoot;
  let world: Outside;
  let link: string;
  let cookie = "";
  let userId: string;
  let replyAddress: string;
  let probeAddress: string;
  let startedAt: number;
  const debs = { before: "", now: "" };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kauke-bare-"));
    debs.before = buildAt("HEAD~1", join(folder, "before"));
    debs.now = buildAt("HEAD", join(folder, "now"));
    connectNetworks();
    world = await Outside.start(networks.outside);
    debian = DebianRoot.make(["systemd", "systemd-sysv", "dbus"]);
    writeFileSync(join(debian.path, "etc/resolv.conf"), `nameserver ${outside.services}\n`);
    copyFileSync(debs.before, join(debian.path, "root/before.deb"));
    copyFileSync(debs.now, join(debian.path, "root/now.deb"));
    await debian.bootInto(networks.machine);
  });
  afterAll(() => {
    world?.close();
    debian?.remove();
    for (const name of Object.values(networks)) execFileSync("ip", ["netns", "del", name]);
    rmSync(folder, { recursive: true, force: true });
  });

  const setup = async () => {
    const options = `--yes --json --minutes 5 --dns rfc2136:${outside.services} --credential /root/credential`;
    const there = "--greet mail.example.test --no-block-lists";
    const trust = "NODE_EXTRA_CA_CERTS=/root/roots.pem";
    const { code, out } = await debian.startInside(
      `${trust} kauke setup ${domain} ${operator} --address ${outside.machine} ${options} ${there}`,
    );
    return { code, steps: (JSON.parse(out) as { steps: CheckResult[] }).steps };
  };

  const call = (method: string, path: string, body?: unknown) =>
    world.ask("page", { host: domain, path, method, body, cookie });

  const arrivedMail = async (isIt: (text: string) => boolean) => {
    for (const giveUpAt = Date.now() + 300_000; Date.now() < giveUpAt; await pause(200)) {
      const found = (await world.ask("mail")).find(({ text }) => isIt(text));
      if (found !== undefined) return found;
    }
    throw new Error("no such mail arrived");
  };

  test("two commands set up a server whose every part is well", async () => {
    // The machine's owner has none of this to do: the test's issuer is in no list of roots, and a fake.
    const { credential, directoryUrl, roots } = await world.ask("about");
    writeFileSync(join(debian.path, "root/roots.pem"), roots, { mode: 0o644 });
    writeFileSync(join(debian.path, "root/credential"), credential);
    debian.inside("mkdir -p /etc/systemd/system/kauke.service.d /usr/local/share/kauke-test");
    debian.inside("cp /root/roots.pem /usr/local/share/kauke-test/");
    const trust = "[Service]\nEnvironment=NODE_EXTRA_CA_CERTS=/usr/local/share/kauke-test/roots.pem\n";
    writeFileSync(join(debian.path, "etc/systemd/system/kauke.service.d/test.conf"), trust);

    startedAt = performance.now();
    expect(debian.inside("DEBIAN_FRONTEND=noninteractive apt-get install -y /root/before.deb")).toMatchObject({
      code: 0,
    });
    const env = debian.read("etc/kauke/kauke.env");
    writeFileSync(join(debian.path, "etc/kauke/kauke.env"), `${env}KAUKE_ACME_DIRECTORY=${directoryUrl}\n`);
    const { code, steps } = await setup();
    expect(notOk(steps)).toEqual(["warn mail"]);
    expect(code).toBe(0);
    probeAddress = /probe-\S+@[a-z.]+[a-z]/.exec(steps.find(({ check }) => check === "mail")?.says ?? "")?.[0] ?? "";
    console.log(`Set up after ${seconds(startedAt)} s.`);
    link = /https:\S+/.exec(steps.find(({ check }) => check === "account")?.says ?? "")?.[0] ?? "";
  });

  test("the operator registers by the link, and nobody can without one", async () => {
    expect(await call("POST", "/api/auth/register", { email: stranger, password })).toMatchObject({ status: 403 });
    const invite = new URL(link).hash.replace("#invite=", "");
    const registered = await call("POST", "/api/auth/register", { email: operator, password, invite });
    expect(registered).toMatchObject({ status: 201 });
    cookie = cookiesOf(registered);
    userId = (JSON.parse(registered.body) as { user: { id: string } }).user.id;
  });

  test("mail to a new alias arrives in the real mailbox, over TLS both times", async () => {
    const made = await call("POST", `/api/aliases/${userId}`, { alias: "shop", domain, forwardTo: operator });
    expect(made).toMatchObject({ status: 201 });
    expect(await world.ask("send", letter(stranger, `shop@${domain}`, "First letter"))).toMatch(/^250 /);
    const { text, isSecure } = await arrivedMail((text) => text.includes("Subject: First letter"));
    console.log(`The first message was forwarded ${seconds(startedAt)} s after the bare Debian.`);
    expect(isSecure).toBe(true);
    expect(text).toMatch(/^DKIM-Signature: .*d=kauke\.example/ms);
    replyAddress = /^From: .*?<([^>]+)>/ms.exec(text)?.[1] ?? "";
  });

  test("the owner's reply leaves as the alias", async () => {
    expect(await world.ask("send", letter(operator, replyAddress, "Re: First letter"))).toMatch(/^250 /);
    const { text, rcptTo } = await arrivedMail((text) => text.includes("Subject: Re: First letter"));
    expect(rcptTo).toEqual([stranger]);
    expect(text).toMatch(/^From: .*?shop@kauke\.example/ms);
    expect(text).not.toContain(operator);
  });

  test("one message and one reply prove that mail works both ways", async () => {
    const proof = debian.startInside("kauke probe --json --minutes 3");
    expect(await world.ask("send", letter(operator, probeAddress, "Does it work?"))).toMatch(/^250 /);
    await arrivedMail((text) => text.includes("Subject: Kauke got your message"));
    expect(await world.ask("replyWithAttached", "Kauke got your message")).toMatch(/^250 /);
    const { code, out } = await proof;
    expect(JSON.parse(out)).toMatchObject({
      isProven: true,
      arrived: { tlsVersion: "TLSv1.3", certificate: "valid", theirs: { spf: "pass", dkim: "pass", dmarc: "pass" } },
      answer: "taken",
      ours: { spf: "pass", dkim: "pass", dmarc: "pass" },
    });
    expect(code).toBe(0);
  });

  test("the web app answers at 443, and http leads there", async () => {
    const page = await call("GET", "/");
    expect(page.status).toBe(200);
    expect(page.headers["strict-transport-security"]).toContain("max-age");
    expect(await world.ask("redirect", `http://${domain}/about`)).toBe(`https://${domain}/about`);
  });

  test("doctor finds everything well, and running setup again changes nothing", async () => {
    const settings = debian.read("etc/kauke/kauke.env");
    const { code, steps } = await setup();
    expect(notOk(steps)).toEqual([]);
    expect(code).toBe(0);
    expect(debian.read("etc/kauke/kauke.env")).toBe(settings);
    const trust = { NODE_EXTRA_CA_CERTS: "/usr/local/share/kauke-test/roots.pem" };
    const { checks } = JSON.parse(debian.inside("kauke doctor --json", trust).out) as { checks: CheckResult[] };
    // What only the operator knows: links of the footer, and how long the system keeps logs.
    expect(notOk(checks)).toEqual(["warn links", "warn logs"]);
  });

  test("an upgrade delivers the mail that waited in the queue", async () => {
    await world.ask("takeMail", false);
    expect(await world.ask("send", letter(stranger, `shop@${domain}`, "Before the upgrade"))).toMatch(/^250 /);
    const old = debian.inside("systemctl show -p MainPID --value kauke").out;
    expect(debian.inside("DEBIAN_FRONTEND=noninteractive apt-get install -y /root/now.deb")).toMatchObject({ code: 0 });
    expect(debian.inside("systemctl show -p MainPID --value kauke").out).not.toBe(old);
    await world.ask("takeMail", true);
    const { text } = await arrivedMail((text) => text.includes("Subject: Before the upgrade"));
    expect(text).toContain("Subject: Before the upgrade");
    expect((await call("GET", "/")).status).toBe(200);
  });

  test("removing ends the server and keeps its data; purging says where they are", () => {
    expect(debian.inside("apt-get remove -y kauke")).toMatchObject({ code: 0 });
    expect(debian.inside("systemctl is-active kauke").out).toBe("inactive\n");
    const { code, out } = debian.inside("apt-get purge -y kauke");
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n").at(-1)).toContain("stay in /var/lib/kauke");
    expect(debian.inside("ls /var/lib/kauke/secret.key").code).toBe(0);
  });
});

const password = "correct horse battery staple";

function letter(from: string, to: string, subject: string) {
  const fields = [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, `Date: ${new Date().toUTCString()}`];
  const id = `Message-ID: <${subject.replaceAll(/\W/g, "")}@elsewhere.example.test>`;
  return { from, to, message: [...fields, id, "", "Good morning!", ""].join("\r\n") };
}

const notOk = (results: readonly CheckResult[]) =>
  results.filter(({ state }) => state !== "ok").map(({ state, check }) => `${state} ${check}`);

const cookiesOf = ({ headers }: PageResponse) =>
  [headers["set-cookie"] ?? []]
    .flat()
    .map((one) => one.split(";")[0])
    .join("; ");

/** Builds the package of a commit, in a clone of its own. @returns its path */
function buildAt(commit: string, into: string): string {
  const root = repositoryRoot();
  const checkout = `${into}-checkout`;
  execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", root, checkout]);
  const id = execFileSync("git", ["rev-parse", commit], { cwd: root, encoding: "utf8" }).trim();
  execFileSync("git", ["checkout", "--quiet", "--detach", id], { cwd: checkout });
  symlinkSync(join(repositoryRoot(), "node_modules"), join(checkout, "node_modules"));
  const args = ["scripts/package/build.ts", "--arch", "amd64", "--into", into];
  execFileSync(process.execPath, args, { cwd: checkout, stdio: "inherit" });
  return join(into, readdirSync(into).find((name) => name.endsWith(".deb")) ?? "");
}

function connectNetworks(): void {
  const ip = (line: string) => execFileSync("ip", line.split(" "));
  for (const name of Object.values(networks)) ip(`netns add ${name}`);
  ip(`link add kauke0 netns ${networks.machine} type veth peer name kauke1 netns ${networks.outside}`);
  const addresses = { kauke0: [outside.machine], kauke1: [outside.services, outside.mailHost] };
  for (const [device, network] of [
    ["kauke0", networks.machine],
    ["kauke1", networks.outside],
  ] as const) {
    for (const address of addresses[device]) ip(`-n ${network} addr add ${address}/24 dev ${device}`);
    for (const name of ["lo", device]) ip(`-n ${network} link set ${name} up`);
  }
}
