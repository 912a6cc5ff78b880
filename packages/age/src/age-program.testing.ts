/**
 * Runs the stock `age` program (Debian has 1.1.1) for tests. It reads passwords from a terminal only, so a Python
 * script gives it a pseudo-terminal.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface AgeProgram {
  version: string;
  canAskPasswords: boolean;
  encrypt(plaintext: Uint8Array, publicKeys: readonly string[], isArmored: boolean): Promise<Uint8Array>;
  /**
   * Decrypts a file with `age -d -i`.
   * @param keyFile contents of the private key file
   * @param password password of that file, if it is encrypted with one
   * @returns `null` when the program refuses the file
   */
  decrypt(file: Uint8Array, keyFile: string, password?: string): Promise<Uint8Array | null>;
  encryptWithPassword(plaintext: Uint8Array, password: string): Promise<Uint8Array>;
  /** The public key that `age-keygen` prints for a private key. */
  publicKeyOf(keyFile: string): Promise<string>;
  /** A key file made by `age-keygen`, with its comments. */
  generate(): Promise<string>;
}

/**
 * Python script that runs a program in a pseudo-terminal, answers every prompt for a passphrase with the password from
 * its standard input, and exits with the program's exit code.
 */
const withTerminal = `
import os, pty, sys
password = sys.stdin.buffer.read()
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
while True:
    try:
        read = os.read(terminal, 4096)
    except OSError:
        break
    if not read:
        break
    seen += read
    if b"passphrase" in seen and seen.endswith(b": "):
        seen = b""
        os.write(terminal, password + b"\\n")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

interface Run {
  code: number;
  stdout: Uint8Array;
}

/** Looks for the `age` program. @returns `null` when it is not installed */
export function findAgeProgram(): AgeProgram | null {
  const version = firstLineOf("age", ["--version"]);
  if (version === null) return null;
  const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
    const folder = mkdtempSync(join(tmpdir(), "kauke-age-"));
    try {
      return await work(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  return {
    version,
    canAskPasswords: firstLineOf("python3", ["--version"]) !== null,
    async encrypt(plaintext, publicKeys, isArmored) {
      const recipients = publicKeys.flatMap((publicKey) => ["-r", publicKey]);
      return accepted(await run("age", [...(isArmored ? ["-a"] : []), ...recipients], plaintext));
    },
    decrypt: (file, keyFile, password) =>
      inFolder(async (folder) => {
        writeFileSync(join(folder, "key"), keyFile, { mode: 0o600 });
        if (password === undefined) return outputOf(await run("age", ["-d", "-i", join(folder, "key")], file));
        return withPassword(folder, ["-d", "-i", join(folder, "key")], file, password);
      }),
    encryptWithPassword: (plaintext, password) =>
      inFolder(async (folder) => {
        const file = await withPassword(folder, ["-p", "-a"], plaintext, password);
        if (file === null) throw new Error("age -p failed");
        return file;
      }),
    async publicKeyOf(keyFile) {
      return text(accepted(await run("age-keygen", ["-y"], Buffer.from(keyFile)))).trim();
    },
    async generate() {
      return text(accepted(await run("age-keygen", [], new Uint8Array(0))));
    },
  };
}

async function withPassword(folder: string, args: readonly string[], input: Uint8Array, password: string) {
  const [from, to] = [join(folder, "in"), join(folder, "out")];
  writeFileSync(from, input);
  const { code } = await run(
    "python3",
    ["-c", withTerminal, "age", ...args, "-o", to, from],
    Buffer.from(password, "utf8"),
  );
  return code === 0 ? new Uint8Array(readFileSync(to)) : null;
}

function run(program: string, args: readonly string[], input: Uint8Array): Promise<Run> {
  return new Promise((done) => {
    const options = { encoding: "buffer", maxBuffer: 64 * 1024 * 1024, timeout: 60_000 } as const;
    const child = execFile(program, args, options, (error, stdout) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 127;
      done({ code, stdout: new Uint8Array(stdout) });
    });
    // The program may exit before it has read all input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

function outputOf({ code, stdout }: Run): Uint8Array | null {
  return code === 0 ? stdout : null;
}

function accepted(ran: Run): Uint8Array {
  if (ran.code !== 0) throw new Error(`the age program failed with ${ran.code}`);
  return ran.stdout;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function firstLineOf(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, args, { stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    return null;
  }
}
