/**
 * Runs Postfix or Exim as the hosts around Kauke, each with its own configuration and queue in a temporary directory.
 * A host accepts mail for all recipients that its rule does not refuse, and relays it to other ports of this machine.
 * Both programs must be started by root.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testCertificate, testKey } from "../test-certificate.ts";
import { type MailHostPolicy, type RecipientRule, startMailHostPolicy } from "./mail-host-policy.ts";

export interface MailHostOptions {
  /** Port to listen on; a free one by default. */
  port?: number;
  /** Port on 127.0.0.1 to which mail is relayed, by domain; `*` is for all other domains. */
  nextHops: Readonly<Record<string, number>>;
  rule?: RecipientRule;
}

export interface RunningMailHost {
  port: number;
  close(): Promise<void>;
}

export interface MailHostProgram {
  name: string;
  /** Why the program cannot run on this machine; `null` when it can. */
  missing: string | null;
  start(options: MailHostOptions): Promise<RunningMailHost>;
}

interface Place extends MailHostOptions {
  folder: string;
  port: number;
  policyPort: number;
}

const START_MS = 30_000;
const postfixMaster = "/usr/lib/postfix/sbin/master";
/** Paths of Exim. Debian's packages of Exim and Postfix conflict, so `.ci/run` unpacks Exim into the first one. */
const eximPaths = ["/var/cache/kauke-exim/usr/sbin/exim4", "/usr/sbin/exim4"];
const eximPath = eximPaths.find((path) => existsSync(path)) ?? "";

export const postfix: MailHostProgram = {
  name: "Postfix",
  missing: whyNot(existsSync(postfixMaster)),
  start: (options) => startHost(options, { user: "postfix", begin: beginPostfix }),
};

export const exim: MailHostProgram = {
  name: "Exim",
  missing: whyNot(eximPath !== "" && spawnSync(eximPath, ["-C", "/dev/null", "-bV"]).status === 0),
  start: (options) => startHost(options, { user: "Debian-exim", begin: beginExim }),
};

function whyNot(isInstalled: boolean): string | null {
  if (!isInstalled) return "is not installed";
  return process.getuid?.() === 0 ? null : "can only be started by root";
}

interface HostKind {
  user: string;
  begin(place: Place, owner: number): ChildProcess;
}

async function startHost(options: MailHostOptions, { user, begin }: HostKind): Promise<RunningMailHost> {
  const folder = mkdtempSync(join(tmpdir(), "kauke-mail-host-"));
  chmodSync(folder, 0o755);
  const policy = await startMailHostPolicy(options.rule ?? (() => null));
  const place = { ...options, folder, port: options.port ?? (await freePort()), policyPort: policy.port };
  writeFileSync(join(folder, "cert.pem"), testCertificate);
  writeFileSync(join(folder, "key.pem"), testKey);
  const owner = Number(execFileSync("id", ["-u", user], { encoding: "utf8" }));
  const child = begin(place, owner);
  const log = () => (existsSync(join(folder, "log")) ? readFileSync(join(folder, "log"), "utf8") : "");
  const close = () => closeHost(child, policy, folder);
  if (await listens(place.port, child)) return { port: place.port, close };
  const said = log();
  await close();
  throw new Error(`the mail host did not start:\n${said}`);
}

async function closeHost(child: ChildProcess, policy: MailHostPolicy, folder: string): Promise<void> {
  const ended = new Promise((done) => child.once("close", done));
  if (child.exitCode === null) {
    child.kill("SIGTERM");
    await ended;
  }
  await policy.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function beginPostfix(place: Place, owner: number): ChildProcess {
  const { folder } = place;
  const directory = (name: string, mode: number, uid = owner) => {
    mkdirSync(join(folder, name));
    chownSync(join(folder, name), uid, 0);
    chmodSync(join(folder, name), mode);
  };
  directory("conf", 0o755, 0);
  directory("data", 0o700);
  directory("queue", 0o755, 0);
  directory("queue/pid", 0o755, 0);
  const queues = "active bounce corrupt defer deferred flush hold incoming private saved trace maildrop public".split(
    " ",
  );
  for (const name of queues) directory(`queue/${name}`, 0o700);
  writeFileSync(join(folder, "conf/main.cf"), postfixSettings(place));
  writeFileSync(join(folder, "conf/master.cf"), postfixServices(place.port));
  return spawn(postfixMaster, ["-c", join(folder, "conf")], { stdio: "ignore" });
}

/** Builds Postfix' configuration file main.cf. */
function postfixSettings({ folder, policyPort, nextHops }: Place): string {
  const { "*": others = 0, ...domains } = nextHops;
  const hop = (to: number) => `smtp:[127.0.0.1]:${to}`;
  const settings = {
    compatibility_level: "3.6",
    queue_directory: `${folder}/queue`,
    data_directory: `${folder}/data`,
    maillog_file_prefixes: folder,
    maillog_file: `${folder}/log`,
    myhostname: "mail.sender.example",
    mydestination: "",
    inet_interfaces: "127.0.0.1",
    mynetworks: "127.0.0.0/8",
    alias_maps: "",
    smtpd_recipient_restrictions: `check_policy_service inet:127.0.0.1:${policyPort}, permit_mynetworks, reject`,
    smtpd_tls_security_level: "may",
    smtpd_tls_cert_file: `${folder}/cert.pem`,
    smtpd_tls_key_file: `${folder}/key.pem`,
    smtp_tls_security_level: "may",
    default_transport: hop(others),
    transport_maps: `inline:{${Object.entries(domains)
      .map(([domain, to]) => `{${domain} = ${hop(to)}}`)
      .join(", ")}}`,
    // Turns off the rewriting that Postfix applies to mail from its own network; the tests' mail comes from loopback
    // but stands for mail from outside.
    local_header_rewrite_clients: "",
    smtp_line_length_limit: "0",
    disable_mime_output_conversion: "yes",
    minimal_backoff_time: "1s",
    queue_run_delay: "1s",
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join("");
}

/** Builds Postfix' configuration file master.cf; no service runs in a chroot. */
function postfixServices(port: number): string {
  const one = "tlsmgr unix - - n - 1 tlsmgr\nanvil unix - - n - 1 anvil\nscache unix - - n - 1 scache";
  const bounces = ["bounce", "defer", "trace"].map((name) => `${name} unix - - n - 0 bounce`);
  return [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    "cleanup unix n - n - 0 cleanup",
    "qmgr unix n - n 300 1 qmgr",
    "rewrite unix - - n - - trivial-rewrite",
    "flush unix n - n - 0 flush",
    "proxymap unix - - n - - proxymap",
    "smtp unix - - n - - smtp",
    "error unix - - n - - error",
    "retry unix - - n - - error",
    "postlog unix-dgram n - n - 1 postlogd",
    ...bounces,
    one,
    "",
  ].join("\n");
}

function beginExim(place: Place, owner: number): ChildProcess {
  const { folder } = place;
  mkdirSync(join(folder, "spool"));
  chownSync(join(folder, "spool"), owner, 0);
  for (const name of ["cert.pem", "key.pem"]) chownSync(join(folder, name), owner, 0);
  // Exim wants one log file per kind, named after it; all of them are links to the same file.
  for (const kind of ["main", "reject", "panic"]) symlinkSync("../log", join(folder, "spool", `${kind}.log`));
  writeFileSync(join(folder, "log"), "");
  chownSync(join(folder, "log"), owner, 0);
  writeFileSync(join(folder, "exim.conf"), eximConfiguration(place));
  return spawn(eximPath, ["-C", join(folder, "exim.conf"), "-bdf", "-q5s"], { stdio: "ignore" });
}

function eximConfiguration({ folder, port, policyPort, nextHops }: Place): string {
  const routes = Object.entries(nextHops).map(([domain, to]) => `${domain} 127.0.0.1::${to}`);
  return `
exim_path = ${eximPath}
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%s.log
pid_file_path = ${folder}/spool/exim.pid
primary_hostname = mx.exim.example
exim_user = Debian-exim
exim_group = Debian-exim
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
keep_environment =
tls_advertise_hosts = *
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
# What it takes out of mail for its own users, which there are none of.
return_path_remove = false
envelope_to_remove = false
delivery_date_remove = false
bounce_return_body = false
acl_smtp_rcpt = at_rcpt
acl_smtp_data = accept
begin acl
at_rcpt:
  warn set acl_m_policy = \${readsocket{inet:127.0.0.1:${policyPort}}{recipient=$local_part@$domain\\n\\n}{30s}}
  defer condition = \${if match{$acl_m_policy}{\\Naction=4\\N}}
        message = \${if match{$acl_m_policy}{\\Naction=(4[^\\n]*)\\N}{$1}}
  accept
begin routers
out:
  driver = manualroute
  route_list = ${routes.join(" ; ")}
  transport = out
  self = send
begin transports
out:
  driver = smtp
  allow_localhost
  hosts_try_dane =
  message_linelength_limit = 1000000
begin retry
* * F,1h,1s
`;
}

async function listens(port: number, child: ChildProcess): Promise<boolean> {
  const giveUpAt = performance.now() + START_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > giveUpAt) return false;
    await new Promise((done) => setTimeout(done, 50));
  }
  return true;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("data", () => end(true));
    socket.once("error", () => end(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise<void>((done) => server.close(() => done()));
  return typeof address === "object" && address !== null ? address.port : 0;
}
