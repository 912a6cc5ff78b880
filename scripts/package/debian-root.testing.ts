/** A fresh Debian 12 in a folder, to install packages in, and to boot if it has systemd. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** What the package depends on; the packages themselves are then installed without a network. */
const included = ["adduser", "libatomic1", "libstdc++6"];

export class DebianRoot {
  readonly path = mkdtempSync(join(tmpdir(), "kauke-debian-"));
  readonly #running = new Set<ChildProcess>();
  /** Process id of the init of a booted system. */
  #init: string | null = null;

  /** @param packages of Debian in addition to what the package depends on */
  static make(packages: readonly string[] = []): DebianRoot {
    const root = new DebianRoot();
    const all = [...included, ...packages].join(",");
    const options = ["--mode=root", "--variant=minbase", `--include=${all}`, "bookworm", root.path];
    execFileSync("mmdebstrap", options, { stdio: "ignore" });
    return root;
  }

  /** Runs a line of shell as root. @returns what it wrote and its exit code */
  run(line: string, env: Readonly<Record<string, string>> = {}) {
    const [program, ...args] = this.#enter(line);
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", env: { ...clean, ...env } });
    return { code: status, out: stdout, err: stderr };
  }

  /** Starts a line of shell as root, which has to exec the program. */
  start(line: string, env: Readonly<Record<string, string>>): ChildProcess {
    const [program, ...args] = this.#enter(line);
    const child = spawn(program, args, { stdio: "inherit", env: { ...clean, ...env } });
    this.#running.add(child);
    child.once("exit", () => this.#running.delete(child));
    return child;
  }

  /**
   * Boots it without a network, and runs a script as root once everything has started.
   * @returns what the script wrote to /root/results, one `name: value` per line
   */
  boot(script: string): Record<string, string> {
    const put = (path: string, text: string) => writeFileSync(join(this.path, path), text);
    put("root/script", `${script}\nsystemctl poweroff\n`);
    put("etc/systemd/system/script.service", scriptUnit);
    this.run("systemctl enable script.service");
    const options = ["--quiet", "--register=no", "--keep-unit", "--private-network", "--boot"];
    execFileSync("systemd-nspawn", [...options, `--directory=${this.path}`], { stdio: "ignore", timeout: 600_000 });
    const lines = this.read("root/results").trimEnd().split("\n");
    return Object.fromEntries(lines.map((line) => line.split(": ", 2) as [string, string]));
  }

  /** Boots it into a network of `ip netns`, and leaves it running. */
  async bootInto(network: string): Promise<void> {
    const options = [
      "--quiet",
      "--register=no",
      "--keep-unit",
      `--network-namespace-path=/run/netns/${network}`,
      "--boot",
    ];
    const own = [`--directory=${this.path}`, "--resolv-conf=off"];
    const machine = spawn("systemd-nspawn", [...options, ...own], { stdio: "ignore" });
    this.#running.add(machine);
    machine.once("exit", () => this.#running.delete(machine));
    for (const giveUpAt = Date.now() + 120_000; ; await pause(200)) {
      if (machine.exitCode !== null || Date.now() > giveUpAt) throw new Error("Debian does not boot");
      const { stdout } = spawnSync("pgrep", ["-P", String(machine.pid)], { encoding: "utf8" });
      this.#init = stdout.trim() || null;
      if (this.#init !== null && this.inside("systemctl is-system-running").out.trim() === "running") return;
    }
  }

  /** Runs a line of shell as root in the booted system. */
  inside(line: string, env: Readonly<Record<string, string>> = {}) {
    const [program, ...args] = this.#enterBooted(line);
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", env: { ...clean, ...env } });
    return { code: status, out: stdout, err: stderr };
  }

  /** Starts a line of shell in the booted system. @returns its output once it has ended */
  async startInside(line: string): Promise<{ code: number | null; out: string }> {
    const [program, ...args] = this.#enterBooted(line);
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], env: clean });
    let out = "";
    child.stdout.on("data", (chunk) => void (out += String(chunk)));
    return await new Promise((resolve) => child.once("close", (code) => resolve({ code, out })));
  }

  install(deb: string) {
    copyFileSync(deb, join(this.path, "tmp", basename(deb)));
    return this.run(`dpkg -i /tmp/${basename(deb)}`, { DEBIAN_FRONTEND: "noninteractive" });
  }

  read(path: string): string {
    return readFileSync(join(this.path, path), "utf8");
  }

  remove(): void {
    // The kernel ends everything else in a booted system together with its init.
    if (this.#init !== null) spawnSync("kill", ["-KILL", this.#init]);
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.path, { recursive: true, force: true });
  }

  #enterBooted(line: string): [string, ...string[]] {
    const namespaces = ["--mount", "--uts", "--ipc", "--net", "--pid"];
    return ["nsenter", "--target", this.#init ?? "", ...namespaces, "--root", "--wd", "/bin/sh", "-c", line];
  }

  /** With /proc in a mount namespace of its own, so that nothing stays mounted. */
  #enter(line: string): [string, ...string[]] {
    const inside = `mount -t proc proc "${this.path}/proc" && exec chroot "${this.path}" /bin/sh -c "$0"`;
    return ["unshare", "--mount", "sh", "-c", inside, line];
  }
}

const scriptUnit = `[Unit]
After=kauke.service
[Service]
Type=oneshot
ExecStart=/bin/bash /root/script
[Install]
WantedBy=multi-user.target
`;
const clean = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" };
