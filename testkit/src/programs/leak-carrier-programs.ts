/**
 * Carriers written by common programs: OpenSSL, GnuPG, Python's zipfile. Carriers of programs that are not installed
 * are left out.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attached, type CarrierEntity, type LeakCarrier } from "./leak-carriers.ts";

type Program = "openssl" | "gpg" | "python3";

/** @returns those of OpenSSL, GnuPG and Python that are installed */
export function programsHere(): ReadonlySet<Program> {
  const all: readonly Program[] = ["openssl", "gpg", "python3"];
  return new Set(all.filter((program) => canRun(program)));
}

function canRun(program: Program): boolean {
  try {
    execFileSync(program, [program === "openssl" ? "version" : "--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export interface ProgramCarrier extends LeakCarrier {
  program: Program;
}

export const programCarriers: readonly ProgramCarrier[] = [
  {
    program: "openssl",
    name: "the certificate of an S/MIME signature",
    make: (address) => smime(address, ["-sign"], "my text\r\n", "/CN=Jonas"),
  },
  {
    program: "openssl",
    name: "the subject of an S/MIME certificate",
    make: (address) => smime("nobody@nowhere.example", ["-sign"], "my text\r\n", `/CN=Jonas/emailAddress=${address}`),
  },
  {
    program: "openssl",
    name: "an opaquely signed S/MIME message, streamed in segments",
    make(address) {
      const text = Buffer.from(`${"filling ".repeat(900)}${address} ${"filling ".repeat(900)}`);
      const inner = `Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${text.toString("base64").replace(/.{76}/g, "$&\r\n")}\r\n`;
      return smime("nobody@nowhere.example", ["-sign", "-nodetach", "-stream"], inner, "/CN=Jonas");
    },
  },
  {
    program: "gpg",
    name: "an OpenPGP key that is attached",
    make: (address) => attached("application/pgp-keys", gpgKey(address, true)),
  },
  {
    program: "gpg",
    name: "a binary OpenPGP key",
    make: (address) => attached("application/octet-stream", gpgKey(address, false)),
  },
  typedByGpg("an OpenPGP key in the text", (address) => gpgKey(address, true).toString()),
  typedByGpg("an OpenPGP key that is quoted", (address) => gpgKey(address, true).toString().replace(/^/gm, "> ")),
  typedByGpg("a compressed OpenPGP message", (address) =>
    inGpgHome("nobody@nowhere.example", (run, home) => {
      writeFileSync(join(home, "text"), `${"filling ".repeat(300)} ${address} ${"filling ".repeat(300)}`);
      return run("--armor", "--sign", "--output", "-", join(home, "text")).toString();
    }),
  ),
  {
    program: "gpg",
    name: "an OpenPGP signature that names its signer",
    make: (address) =>
      attached(
        "application/pgp-signature",
        inGpgHome(address, (run, home) => {
          writeFileSync(join(home, "text"), "my text");
          return run("--armor", "--sender", address, "--detach-sign", "--output", "-", join(home, "text"));
        }),
      ),
  },
  {
    program: "python3",
    name: "a spreadsheet of Python's zipfile",
    make: (address) =>
      attached("application/vnd.oasis.opendocument.spreadsheet", pythonZip(address, "open(sys.argv[1], 'wb')")),
  },
  {
    program: "python3",
    name: "an archive with sizes behind the data",
    make: (address) => attached("application/zip", pythonZip(address, "Unseekable(open(sys.argv[1], 'wb'))")),
  },
];

function typedByGpg(name: string, write: (address: string) => string): ProgramCarrier {
  const textOf = (address: string) => `Hello\n\n${write(address)}\nBye`;
  const header = ["MIME-Version: 1.0", "Content-Type: text/plain"];
  const make = (address: string) => ({ header, body: `${textOf(address).replace(/\r?\n/g, "\r\n")}\r\n` });
  return { program: "gpg", name, make, typed: textOf };
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "kauke-carrier-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Signs a message with a new certificate. @param address e-mail address in the certificate's subjectAltName */
function smime(address: string, how: string[], text: string, subject: string): CarrierEntity {
  return inFolder((folder) => {
    const file = (name: string) => join(folder, name);
    const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: ["ignore", "pipe", "ignore"] });
    const key = ["-newkey", "rsa:2048", "-nodes", "-keyout", file("key"), "-out", file("cert"), "-days", "2"];
    openssl("req", "-x509", ...key, "-subj", subject, "-addext", `subjectAltName=email:${address}`);
    writeFileSync(file("text"), text);
    openssl("cms", ...how, "-in", file("text"), "-signer", file("cert"), "-inkey", file("key"), "-out", file("out"));
    const entity = readFileSync(file("out"), "latin1").replace(/\r?\n/g, "\r\n");
    const end = entity.indexOf("\r\n\r\n");
    return { header: entity.slice(0, end).split(/\r\n(?![ \t])/), body: entity.slice(end + 4) };
  });
}

type RunGpg = (...args: string[]) => Buffer;

function inGpgHome<T>(address: string, work: (run: RunGpg, home: string) => T): T {
  return inFolder((home) => {
    const fixed = ["--homedir", home, "--batch", "--quiet", "--yes", "--pinentry-mode", "loopback", "--passphrase", ""];
    const run: RunGpg = (...args) => execFileSync("gpg", [...fixed, ...args], { stdio: ["ignore", "pipe", "ignore"] });
    run("--quick-gen-key", `Jonas <${address}>`, "ed25519", "sign", "never");
    try {
      return work(run, home);
    } finally {
      execFileSync("gpgconf", ["--homedir", home, "--kill", "all"], { stdio: "ignore" });
    }
  });
}

const gpgKey = (address: string, isArmored: boolean): Buffer =>
  inGpgHome(address, (run) => run(...(isArmored ? ["--armor"] : []), "--export"));

function pythonZip(address: string, target: string): Buffer {
  const program = `
import sys, zipfile
class Unseekable:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
with zipfile.ZipFile(${target}, 'w', zipfile.ZIP_DEFLATED) as archive:
    archive.writestr('content.xml', '<row/>' * 200 + '<text:p>' + sys.argv[2] + '</text:p>' + '<row/>' * 200)
    archive.writestr('meta.xml', '<x/>')
`;
  return inFolder((folder) => {
    execFileSync("python3", ["-c", program, join(folder, "zip"), address]);
    return readFileSync(join(folder, "zip"));
  });
}
