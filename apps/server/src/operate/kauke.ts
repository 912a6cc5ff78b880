/** The operator's command: `npx kauke domains`, `npx kauke doctor`. What it prints holds no key and no password. */
import { networkInterfaces } from "node:os";
import { parseArgs } from "node:util";
import { product } from "@kauke/contract";
import type { Config } from "../config.ts";
import { readConfigOrExit } from "../config-read.ts";
import { isPublicAddress } from "../mail/outbound/address-guard.ts";
import { createResolver } from "../mail/outbound/resolver.ts";
import { SettingsError } from "../settings-error.ts";
import { StoreStartError } from "../store/start-error.ts";
import { ControlError } from "./control-client.ts";
import type { ServerFacts } from "./control-protocol.ts";
import { dnsPlan } from "./dns-plan.ts";
import { fetchPolicy } from "./doctor/fetch-policy.ts";
import { mustMend, reportText } from "./doctor/report.ts";
import { runDoctor } from "./doctor/run-doctor.ts";
import { traceOf } from "./error-trace.ts";
import { type OperatorAccess, OperatorError, openAccess, sentenceOf } from "./operator-access.ts";
import { domainsText } from "./print-domains.ts";
import { keptMail, mailText, type ShownMail } from "./print-kept-mail.ts";

const help = `Usage: npx kauke <command> [options]

  domains            the DNS records to publish, as a zone file
  doctor             checks DNS, ports, TLS, disk, queue; exit code 1 when something must be mended
    --mail             also prints mail to postmaster@ and abuse@ that is kept here
    --forget           with --mail: deletes each message once it is printed

  --json             prints JSON instead of text
  --help             prints this

It reads the same settings as the server and asks the running one; when none runs it opens the data itself.
`;

const options = {
  json: { type: "boolean", default: false },
  mail: { type: "boolean", default: false },
  forget: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

interface Options {
  json: boolean;
  mail: boolean;
  forget: boolean;
}

type Command = (access: OperatorAccess, config: Config, options: Options) => Promise<number>;

const commands: Readonly<Record<string, Command>> = { domains, doctor };

/** @returns exit code: 0 well, 1 something must be mended or could not be done, 2 not understood */
async function main(args: readonly string[]): Promise<number> {
  const parsed = parseOrNull(args);
  const [name = ""] = parsed?.positionals ?? [];
  if (parsed?.values.help === true) return print(help, 0);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (parsed === null || command === undefined || parsed.positionals.length > 1) return refuse(help);
  if (parsed.values.forget && !parsed.values.mail) return refuse("--forget goes with --mail only.\n");
  const config = readConfigOrExit(process.cwd());
  const access = await openAccess(config);
  try {
    return await command(access, config, parsed.values);
  } finally {
    await access.close();
  }
}

function parseOrNull(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch {
    return null;
  }
}

async function domains(access: OperatorAccess, _config: Config, { json }: Options): Promise<number> {
  const facts = await access.facts({});
  return print(json ? `${JSON.stringify(dnsPlan(facts), null, 2)}\n` : domainsText(facts, publicAddresses(facts)), 0);
}

/** Of this machine; none where it stands behind an address translation. */
function publicAddresses({ host }: ServerFacts): string[] {
  if (isPublicAddress(host)) return [host];
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return all.filter((it) => !it.internal && isPublicAddress(it.address)).map((it) => it.address);
}

async function doctor(access: OperatorAccess, config: Config, options: Options): Promise<number> {
  const facts = await access.facts({});
  const results = await runDoctor(facts, {
    isRunning: access.isRunning,
    resolver: createResolver({ servers: facts.dnsServers }),
    fetchPolicy,
    dataDir: config.dataDir,
    folder: process.cwd(),
    now: new Date(),
  });
  const code = mustMend(results) ? 1 : 0;
  if (options.json) {
    const mail = options.mail ? { mail: await readMail(access, options) } : {};
    return print(`${JSON.stringify({ checks: results, mustMend: code === 1, ...mail }, null, 2)}\n`, code);
  }
  if (options.mail) await readMail(access, options, (it) => void process.stdout.write(mailText(it)));
  return print(reportText(results), code);
}

async function readMail(
  access: OperatorAccess,
  { forget }: Options,
  show: (mail: ShownMail) => void = () => {},
): Promise<ShownMail[]> {
  const shown: ShownMail[] = [];
  for await (const mail of keptMail(access)) {
    show(mail);
    shown.push(mail);
  }
  for (const { messageId } of forget ? shown : []) await access["kept-forget"]({ messageId });
  return shown;
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}

function refuse(text: string): number {
  process.stderr.write(text);
  return 2;
}

function sentenceFor(thrown: unknown): string {
  if (thrown instanceof OperatorError || thrown instanceof StoreStartError || thrown instanceof SettingsError)
    return thrown.message;
  if (thrown instanceof ControlError) return sentenceOf(thrown);
  const { code, stack } = traceOf(thrown);
  return `${product.name} met an error nobody foresaw: ${[code, stack].filter(Boolean).join(" ")}`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${sentenceFor(thrown)}\n`);
  process.exitCode = 1;
}
