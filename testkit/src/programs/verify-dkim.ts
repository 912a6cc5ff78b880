/**
 * Independent verifiers of a DKIM signature: mailauth in this process, and Debian's python3-dkim and opendkim if they
 * are installed. Each gets the signed message and the DNS record of the public key.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { authenticate, dkimVerify } from "mailauth";

export interface DkimRecord {
  /** Name of the DNS record, e.g. `k1._domainkey.kauke.test`. */
  name: string;
  value: string;
}

/**
 * Verifies the DKIM signature of a message. @returns `pass` for a valid signature, otherwise the verdict or the output
 * of the verifier
 */
export type DkimJudge = (message: Buffer, record: DkimRecord) => Promise<string>;

export const byMailauth: DkimJudge = async (message, record) => {
  const found = await authenticate(message, {
    ip: "192.0.2.1",
    helo: "x.example",
    sender: "",
    mta: "judge.example",
    disableArc: true,
    disableDmarc: true,
    disableBimi: true,
    resolver: async (name, type) => {
      if (type === "TXT" && name === record.name) return [[record.value]];
      throw Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" });
    },
  });
  return found.dkim?.results?.map((result) => result.status.result).join(",") ?? "none";
};

/** @param texts TXT records of a name @returns domains whose signature of the message is valid */
export async function signersOf(message: string, texts: (name: string) => readonly string[]): Promise<string[]> {
  const resolver = async (name: string, type: string) => {
    const found = type === "TXT" ? texts(name.toLowerCase()) : [];
    if (found.length === 0) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    return found.map((text) => [text]);
  };
  const { results } = await dkimVerify(message, { resolver });
  return results.filter(({ status }) => status.result === "pass").map(({ signingDomain }) => String(signingDomain));
}

const python = "/usr/bin/python3";
const script = `
import sys, dkim
record = sys.argv[1].encode()
print("pass" if dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda name, timeout=5: record) else "fail")
`;

/** @returns a verifier; `null` when Debian's python3-dkim is not installed */
export function pythonDkim(): DkimJudge | null {
  if (!existsSync(python) || spawnSync(python, ["-c", "import dkim"]).status !== 0) return null;
  return async (message, record) =>
    execFileSync(python, ["-c", script, record.value], { input: message, encoding: "utf8" }).trim();
}

/** @returns a verifier that runs `opendkim -t` with `TestDNSData`; `null` when opendkim is not installed */
export function opendkim(): DkimJudge | null {
  if (!existsSync("/usr/sbin/opendkim")) return null;
  return async (message, record) => {
    const folder = mkdtempSync(join(tmpdir(), "kauke-opendkim-"));
    try {
      const file = (name: string, content: string | Buffer) => {
        writeFileSync(join(folder, name), content);
        return join(folder, name);
      };
      // TestDNSData has one DNS string per line, and opendkim expects bare line feeds.
      const zone = file("zone", `${record.name} ${record.value}\n`);
      const config = file("conf", `Mode v\nTestDNSData ${zone}\nUserID root\nSyslog no\n`);
      const mail = file("mail.eml", Buffer.from(message.toString("latin1").replace(/\r\n/g, "\n"), "latin1"));
      const { stdout, stderr } = spawnSync("/usr/sbin/opendkim", ["-x", config, "-t", mail], { encoding: "utf8" });
      return /verification \(.*\) succeeded/.test(stdout + stderr) ? "pass" : `${stdout}${stderr}`.trim();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
