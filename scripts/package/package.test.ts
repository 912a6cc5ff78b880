/** What the packages consist of, without building one: `package.long.test.ts` builds, installs and runs them. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../apps/server/src/cli/commands/all.ts";
import { repositoryRoot } from "../source-files.ts";
import { imageConfig } from "./image.ts";
import { bashCompletion, manualPage } from "./manual.ts";
import { lockOf, type ProgramFile, programFiles } from "./program-tree.ts";
import { hasProgram } from "./programs.ts";
import { shippedPackages } from "./shipped-packages.ts";
import { targets } from "./targets.ts";
import { serviceUnit } from "./unit.ts";

const root = repositoryRoot();
const files = join(import.meta.dirname, "files");
const release = { shown: "1.0.24", version: "1.0.24+r1", commit: "0".repeat(40), commitSeconds: 1_795_781_311 };
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kauke-package-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o644 });
  return file;
}

/** Runs a program. @returns everything it wrote, and its exit code */
function run(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return { code: status, output: `${stdout}${stderr}` };
}

describe("files", () => {
  let shipped: ProgramFile[];
  beforeAll(() => {
    put("dist/index.html", "");
    put("dist/former/old.js", "");
    const target = targets.find(({ npm }) => npm === process.arch) ?? targets[0];
    if (target === undefined) throw new Error("there is no target");
    shipped = programFiles({
      checkout: root,
      dist: join(folder, "dist"),
      target,
      downloads: join(folder, "downloads"),
    });
  });
  const paths = () => shipped.map(({ to }) => to);

  test("the server, the web app, Node and the modules are there", () => {
    expect(paths()).toEqual(
      expect.arrayContaining([
        "bin/node",
        "apps/server/package.json",
        "apps/server/src/main.ts",
        "apps/server/src/cli/kauke.ts",
        "apps/web/dist/index.html",
        "packages/contract/src/index.ts",
        "node_modules/fastify/package.json",
        "node_modules/fastify/LICENSE",
        "node_modules/@electric-sql/pglite/dist/pglite.wasm",
      ]),
    );
  });

  test("no test, no source of the web app, no earlier build, no tool and no type declaration is there", () => {
    const ours = paths().filter((path) => !path.startsWith("node_modules/"));
    expect(
      ours.filter((path) => /\.(?:test|testing)\.|\/test\/|\.map$|^apps\/web\/(?!dist\/)|dist\/former\//.test(path)),
    ).toEqual([]);
    const foreign =
      /^node_modules\/(?:\.|vitest|vite|react|typescript|mailauth|nodemailer|@types|@kauke|node-)|\.(?:ts|map)$/;
    expect(paths().filter((path) => path.startsWith("node_modules/") && foreign.test(path))).toEqual([]);
  });

  test("whatever a source imports is there too", () => {
    const all = new Set(paths());
    const modules = new Set(paths().flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
    const missing = shipped
      .filter(({ to }) => /^(?:apps\/server|packages\/[^/]+)\/src\/.*\.ts$/.test(to))
      .flatMap(({ to, from }) =>
        importsIn(from)
          .filter((name) => !isThere(name, to))
          .map((name) => `${to}: ${name}`),
      );
    expect(missing).toEqual([]);

    function isThere(name: string, from: string): boolean {
      if (name.startsWith(".")) return all.has(join(dirname(from), name));
      if (name.startsWith("@kauke/")) return all.has(`packages/${name.split("/")[1]}/package.json`);
      return modules.has(name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
    }
  });

  test.each(targets)("for $debian there is the argon2 of that processor, and no other", (target) => {
    const found = shippedPackages(lockOf(root), target).filter((path) => path.includes("argon2-"));
    expect(found).toEqual([`node_modules/@node-rs/argon2-linux-${target.npm}-gnu`]);
  });
});

/** Modules that a file imports at run time, without Node's own. */
function importsIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const found = text.matchAll(/^(?:import|export)\s(?!type\s)[^"';]*?from\s+"([^"]+)"|^import\s+"([^"]+)"/gm);
  return [...found].map(([, from, bare]) => from ?? bare ?? "").filter((name) => !name.startsWith("node:"));
}

describe("the unit", () => {
  test.skipIf(!hasProgram("systemd-analyze"))("systemd finds nothing wrong in it, and it is tightly confined", () => {
    // Its programs are not installed here.
    const text = serviceUnit().replaceAll(/\/usr\/lib\/kauke\/bin\/node|\/bin\/grep/g, "/bin/true");
    const unit = put("kauke.service", text.replace("Documentation=man:kauke(8) ", "Documentation="));
    expect(run("systemd-analyze", "verify", "--man=no", unit)).toEqual({ code: 0, output: "" });
    // 0 is best; the threshold counts tenths.
    expect(run("systemd-analyze", "security", "--offline=yes", "--threshold=20", unit)).toMatchObject({ code: 0 });
  });

  test("starts nothing while no setting is written", () => {
    const [, pattern = ""] = /^ExecCondition=\/bin\/grep -Eqs "([^"]+)"/m.exec(serviceUnit()) ?? [];
    const isSetUp = (text: string) => run("grep", "-Eqs", pattern, put("kauke.env", text)).code === 0;
    expect(isSetUp(readFileSync(join(files, "kauke.env"), "utf8"))).toBe(false);
    expect(isSetUp("# KAUKE_DOMAINS=a.example\nKAUKE_DOMAINS=kauke.example\n")).toBe(true);
  });
});

describe("scripts", () => {
  const scripts = ["kauke.sh", "kauke-in-image.sh", "preinst", "postinst", "prerm", "postrm"];

  test.each(scripts)("%s is a valid shell script", (name) => {
    expect(run("sh", "-n", join(files, name))).toEqual({ code: 0, output: "" });
  });

  test.skipIf(!hasProgram("shellcheck"))("shellcheck finds nothing in them", () => {
    expect(run("shellcheck", ...scripts.map((name) => join(files, name)))).toEqual({ code: 0, output: "" });
  });

  test("an upgrade sets the assets of the old build aside for a day, and a removal deletes them", () => {
    const dist = join(folder, "installed/usr/lib/kauke/apps/web/dist");
    const former = join(dist, "former/assets");
    const dpkg = (name: string, ...args: string[]) =>
      spawnSync("sh", [join(files, name), ...args], { env: { ...process.env, DPKG_ROOT: join(folder, "installed") } });
    expect(dpkg("preinst", "install").status).toBe(0);
    mkdirSync(join(dist, "assets"), { recursive: true });
    mkdirSync(former, { recursive: true });
    writeFileSync(join(dist, "assets/app-1.js"), "");
    for (const [name, hours] of [["old", 25] as const, ["recent", 23] as const]) {
      const at = new Date(Date.now() - hours * 3_600_000);
      writeFileSync(join(former, name), "");
      utimesSync(join(former, name), at, at);
    }
    utimesSync(join(dist, "assets/app-1.js"), 0, 0);
    for (const version of ["1.0-1", "1.0-2"]) expect(dpkg("preinst", "upgrade", version).status).toBe(0);
    expect(readdirSync(former).sort()).toEqual(["app-1.js", "recent"]);
    expect(dpkg("prerm", "upgrade", "1.0-2").status).toBe(0);
    expect(existsSync(former)).toBe(true);
    expect(dpkg("prerm", "remove").status).toBe(0);
    expect(readdirSync(dist)).toEqual(["assets"]);
  });

  test("the command refuses a user who may not read the settings, and names sudo", () => {
    const text = readFileSync(join(files, "kauke.sh"), "utf8").replaceAll("id -u", "echo 1000");
    const file = put("kauke", text.replaceAll("/usr/lib/kauke/bin/node", "/bin/echo"));
    const ask = (...args: string[]) =>
      spawnSync("sh", [file, ...args], { encoding: "utf8", env: { ...process.env, KAUKE_SETTINGS_FILE: "/nowhere" } });
    expect(ask("users", "find", "a@b.example")).toMatchObject({
      status: 1,
      stderr: "You may not read /nowhere. Run: sudo kauke users find a@b.example\n",
    });
    expect(ask("--help").status).toBe(0);
  });
});

describe("what is made from the command's table", () => {
  test("the man page has each command and option, and troff has no complaint", () => {
    const page = manualPage(release);
    const text = page.replaceAll("\\-", "-");
    for (const { usage, options } of commands) {
      expect(text).toContain(`\n.B ${usage}\n`);
      for (const name of Object.keys(options)) expect(text).toContain(`\n.B --${name}\n`);
    }
    if (!hasProgram("man")) return;
    const { stderr } = spawnSync("man", ["--warnings", "-l", put("kauke.8", page)], { encoding: "utf8" });
    expect(stderr).toBe("");
  });

  test.each([
    ["use", "users"],
    ["users del", "delete"],
    ["users delete --y", "--yes"],
    ["doctor --m", "--mail"],
    ["backup --with", "--with-secret-key"],
  ])("the completion of %j is %j", (typed, completed) => {
    const script = put("kauke.bash", bashCompletion());
    const words = ["kauke", ...typed.split(" ")];
    const ask = `source ${script}; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _kauke; echo "\${COMPREPLY[*]}"`;
    expect(execFileSync("bash", ["-c", ask], { encoding: "utf8" }).trim()).toBe(completed);
  });
});

describe("the image", () => {
  test("runs as a user without rights, with one volume, a health check and SIGTERM", () => {
    const config = imageConfig(release);
    const valuesOf = (name: string) => config.filter((_, index) => config[index - 1] === name);
    expect(valuesOf("--user")).toEqual(["10025:10025"]);
    expect(valuesOf("--volume")).toEqual(["/var/lib/kauke"]);
    expect(valuesOf("--stop-signal")).toEqual(["SIGTERM"]);
    expect(valuesOf("--healthcheck")[0]).toMatch(/^CMD \/usr\/lib\/kauke\/bin\/node .*healthcheck\.mjs$/);
    expect(JSON.parse(valuesOf("--entrypoint")[0] ?? "")).toContain("/usr/lib/kauke/apps/server/src/main.ts");
  });

  test("compose.yaml has a read-only root, one capability, and the image of this version", () => {
    const text = readFileSync(join(root, "docs/container/compose.yaml"), "utf8");
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(text).toContain(`image: localhost/kauke:${version}\n`);
    expect(text).toContain("read_only: true\n");
    expect(text).toMatch(/cap_drop:\n\s+- ALL\n\s+cap_add:\n\s+- NET_BIND_SERVICE\n/);
  });
});
