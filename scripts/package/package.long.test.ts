/**
 * Builds the packages twice, and lives through the life of one in a fresh Debian: install, start, upgrade, remove, purge.
 * Needs root, the programs of packages (`.ci/run`) and a Debian mirror.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { CheckResult } from "../../apps/server/src/cli/doctor/check-result.ts";
import { repositoryRoot } from "../source-files.ts";
import { DebianRoot } from "./debian-root.testing.ts";
import { whyNoImage } from "./image.ts";
import { type ProgramFile, programFiles } from "./program-tree.ts";
import { hasProgram } from "./programs.ts";
import { targets } from "./targets.ts";
import { serviceUnit } from "./unit.ts";

const ELF_AARCH64 = 0xb7;
const HTTP_PORT = 43_925;
const settings = {
  KAUKE_DOMAINS: "kauke.example",
  KAUKE_DELIVERY: "direct",
  KAUKE_HTTP_PORT: String(HTTP_PORT),
  KAUKE_MX_PORT: "43926",
  KAUKE_SUBMISSION_PORT: "43927",
  KAUKE_SUBMISSIONS_PORT: "43928",
  KAUKE_POP3S_PORT: "43929",
  KAUKE_DNS_SERVERS: "127.0.0.1:9",
};
const settingsText = Object.entries(settings)
  .map(([name, value]) => `${name}=${value}\n`)
  .join("");

/** Runs as root in a booted Debian; each `say` is a result. */
const underSystemd = `
say() { echo "$1: $2" >>/root/results; }
main() { systemctl show -p MainPID --value kauke; }
well() { for i in $(seq 90); do curl -sf http://127.0.0.1:${HTTP_PORT}/healthz >/dev/null && return; sleep 1; done; }
say "before settings" "$(systemctl is-active kauke)"
cat /root/kauke.env >/etc/kauke/kauke.env
systemctl start kauke; well
say "with settings" "$(systemctl is-active kauke)"
say "port 25" "$(timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/25; head -1 <&3' | tr -d '\\r')"
kauke backup /var/backups/kauke/a; say backup $?
kauke backup /tmp/b; say "backup where only the server sees it" $?
nsenter --target "$(main)" --mount touch /usr/lib/kauke/x; say "write to the program" $?
say capabilities "$(sed -n 's/^CapEff:.//p' /proc/$(main)/status)"
old=$(main); dpkg -i /root/package.deb; well
[ "$(main)" = "$old" ] || other=", another process"
say "after an upgrade" "$(systemctl is-active kauke)$other"
kill -9 "$(main)"; sleep 5; well
say "after kill -9" "$(systemctl is-active kauke)"
dpkg --remove kauke
say "after removal" "$(systemctl is-active kauke)"
`;

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 600_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kauke-packages-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function build(into: string): string[] {
  const args = ["scripts/package/build.ts", "--arch", "amd64", "--into", join(folder, into)];
  execFileSync(process.execPath, args, { cwd: repositoryRoot(), stdio: "inherit" });
  return readdirSync(join(folder, into)).toSorted();
}

const missing = whyNoImage() ?? (hasProgram("lintian") ? null : "lintian not found");
if (missing !== null) console.log(`Packages are not built: ${missing}.`);

describe.skipIf(missing !== null || process.arch !== "x64")("the packages of a commit", () => {
  let deb: string;

  test("are the same bytes in each build", () => {
    const names = build("first");
    expect(names).toEqual([expect.stringMatching(/_amd64\.deb$/), expect.stringMatching(/_amd64\.oci\.tar$/)]);
    expect(build("second")).toEqual(names);
    const bytes = (into: string) => names.map((name) => readFileSync(join(folder, into, name)));
    for (const [index, first] of bytes("first").entries())
      expect(first.equals(bytes("second")[index] ?? first)).toBe(true);
    for (const one of bytes("first")) expect(one.length).toBeLessThan(180 * 1_048_576);
    deb = join(folder, "first", names[0] ?? "");
  });

  test("have no fault that lintian finds and nobody gave a reason for", () => {
    const { status, stdout } = spawnSync("lintian", ["--no-cfg", "--fail-on", "error,warning", deb], {
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });

  test("for arm64 differ in Node and argon2 only, which are made for that processor", () => {
    const [amd64 = [], arm64 = []] = targets.map((target) => {
      const places = { checkout: repositoryRoot(), dist: import.meta.dirname, downloads: join(folder, "downloads") };
      return programFiles({ ...places, target });
    });
    const pathsOf = (list: readonly ProgramFile[]) => new Set(list.map(({ to }) => to));
    const own = arm64.filter(({ to }) => to === "bin/node" || !pathsOf(amd64).has(to));
    expect(own.map(({ to }) => to)).toEqual([
      "bin/node",
      "node_modules/@node-rs/argon2-linux-arm64-gnu/argon2.linux-arm64-gnu.node",
      "node_modules/@node-rs/argon2-linux-arm64-gnu/package.json",
    ]);
    expect(arm64).toHaveLength(amd64.length);
    // Byte 18 of an ELF file is the processor.
    for (const { from } of own.slice(0, 2)) expect(readFileSync(from)[18]).toBe(ELF_AARCH64);
  });

  describe("in a fresh Debian", () => {
    let debian: DebianRoot;
    beforeAll(() => {
      debian = DebianRoot.make();
    });
    afterAll(() => debian.remove());

    test("installing makes the user and private directories, and starts nothing", () => {
      expect(debian.install(deb)).toMatchObject({ code: 0, out: expect.stringContaining("Next: sudo kauke setup") });
      const look = "stat -c '%a %U:%G %n' /etc/kauke/kauke.env /var/lib/kauke /var/backups/kauke";
      expect(debian.run(look).out).toBe(
        "640 root:kauke /etc/kauke/kauke.env\n700 kauke:kauke /var/lib/kauke\n700 kauke:kauke /var/backups/kauke\n",
      );
      expect(debian.run("ls -A /var/lib/kauke").out).toBe("");
      expect(debian.run("kauke --help").out).toMatch(/^Usage: kauke <command>/);
    });

    test("the unit's command serves as the user kauke, doctor finds it well, and SIGTERM ends it gracefully", async () => {
      writeFileSync(join(debian.path, "etc/kauke/kauke.env"), settingsText);
      expect(await serveAndAsk(debian)).toEqual({ status: 200, code: 0, server: "ok", permissions: "ok" });
      expect(debian.run("find /var/lib/kauke ! -user kauke").out).toBe("");
    });

    test("an upgrade keeps data and settings, and the server starts on them", async () => {
      const key = debian.read("var/lib/kauke/secret.key");
      expect(debian.install(withVersion(deb, "1.0.24+r999999"))).toMatchObject({ code: 0, err: "" });
      expect(debian.read("var/lib/kauke/secret.key")).toBe(key);
      expect(debian.read("etc/kauke/kauke.env")).toBe(settingsText);
      const assets = "cd /usr/lib/kauke/apps/web/dist && diff -rq assets former/assets";
      expect(debian.run(assets)).toMatchObject({ code: 0 });
      expect(await serveAndAsk(debian)).toMatchObject({ status: 200, code: 0 });
    });

    test("removing keeps data and settings; purging keeps data and every key, and says where", () => {
      const key = debian.read("var/lib/kauke/secret.key");
      writeFileSync(join(debian.path, "etc/kauke/kauke.env"), `${settingsText}KAUKE_SECRET_KEY=of-postgres\n`);
      expect(debian.run("dpkg --remove kauke").code).toBe(0);
      expect(debian.run("ls /usr/lib/kauke /usr/bin/kauke").code).not.toBe(0);
      expect(debian.read("etc/kauke/kauke.env")).toContain(settingsText);
      const { code, out } = debian.run("dpkg --purge kauke");
      expect(code).toBe(0);
      expect(out.trimEnd().split("\n").at(-1)).toContain("stay in /var/lib/kauke");
      expect(debian.run("ls -d /etc/kauke /var/cache/kauke").out).toBe("");
      expect(debian.read("var/lib/kauke/secret.key")).toBe(key);
      expect(debian.read("var/lib/kauke/secret-key.env")).toBe("KAUKE_SECRET_KEY=of-postgres\n");
    });
  });

  test.skipIf(!hasProgram("systemd-nspawn"))(
    "under systemd the unit starts once there are settings, and confines the server",
    () => {
      const debian = DebianRoot.make(["systemd", "systemd-sysv", "curl"]);
      try {
        expect(debian.install(deb).code).toBe(0);
        writeFileSync(join(debian.path, "root/kauke.env"), `${settingsText}KAUKE_MX_PORT=25\n`);
        writeFileSync(join(debian.path, "root/package.deb"), readFileSync(deb));
        expect(debian.boot(underSystemd)).toEqual({
          "before settings": "inactive",
          "with settings": "active",
          "port 25": "220 mail.kauke.example ESMTP Kauke",
          backup: "0",
          "backup where only the server sees it": "1",
          "write to the program": "1",
          capabilities: "0000000000000400",
          "after an upgrade": "active, another process",
          "after kill -9": "active",
          "after removal": "inactive",
        });
      } finally {
        debian.remove();
      }
    },
  );

  /** The same package under another version. */
  function withVersion(file: string, version: string): string {
    const tree = join(folder, "upgrade");
    execFileSync("dpkg-deb", ["--raw-extract", file, tree]);
    const control = join(tree, "DEBIAN/control");
    writeFileSync(control, readFileSync(control, "utf8").replace(/^Version: .*$/m, `Version: ${version}`));
    const upgraded = join(folder, "upgrade.deb");
    execFileSync("dpkg-deb", ["-Znone", "--build", tree, upgraded], { stdio: "ignore" });
    return upgraded;
  }
});

/** Starts the unit's command as its user, and asks the server and `kauke doctor`. */
async function serveAndAsk(debian: DebianRoot) {
  const unit = serviceUnit();
  const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";
  const given = [...unit.matchAll(/^Environment=([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]);
  const env = Object.fromEntries(given) as Record<string, string>;
  const user = valueOf("User");
  const folders = `install -d -m 0700 -o ${user} -g ${user} /var/cache/kauke && cd ${valueOf("WorkingDirectory")}`;
  const asUser = `exec setpriv --reuid=${user} --regid=${user} --init-groups`;
  const server = debian.start(`${folders} && ${asUser} ${valueOf("ExecStart")}`, env);
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
  const status = await healthStatus();
  const { out } = debian.run("kauke doctor --json");
  const { checks } = JSON.parse(out) as { checks: CheckResult[] };
  const stateOf = (check: string) => checks.find((one) => one.check === check)?.state;
  server.kill("SIGTERM");
  return { status, code: await ended, server: stateOf("server"), permissions: stateOf("permissions") };
}

/** @returns 200 once the server has started, else what it said last */
async function healthStatus(): Promise<number | null> {
  let status: number | null = null;
  for (const giveUpAt = Date.now() + 60_000; status !== 200 && Date.now() < giveUpAt; await pause(200))
    status = (await fetch(`http://127.0.0.1:${HTTP_PORT}/healthz`).catch(() => null))?.status ?? status;
  return status;
}
