/**
 * Scores messages with Debian's SpamAssassin: its rules without network tests (`-L`), Bayes or user preferences. One
 * process scores many messages, since reading the rules takes longer than applying them.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SpamScore {
  score: number;
  /** Points by rule; rules without points are left out. */
  rules: Record<string, number>;
}

/** Scores messages. @param messages messages by arbitrary names @returns the score of each message by its name */
export type SpamScorer = (messages: ReadonlyMap<string, Buffer>) => Promise<Map<string, SpamScore>>;

/** IP address of a relay that SpamAssassin trusts: it evaluates the host that sent the message to this relay. */
export const OWN_RELAY = "10.0.0.2";

const script = `
use strict;
use Mail::SpamAssassin;
my $config = join("\\n", "use_bayes 0", "clear_trusted_networks", "trusted_networks 10.0.0.0/8", "internal_networks 10.0.0.0/8", "");
my $judge = Mail::SpamAssassin->new({
  local_tests_only => 1, dont_copy_prefs => 1, username => "nobody",
  userprefs_filename => "/dev/null", post_config_text => $config,
});
$judge->compile_now(0);
while (my $path = <STDIN>) {
  chomp $path;
  open my $file, "<:raw", $path or die "$path: $!";
  my $raw = do { local $/; <$file> };
  $raw =~ s/\\r\\n/\\n/g;
  my $mail = $judge->parse($raw, 1);
  my $found = $judge->check($mail);
  my $scores = $found->{conf}->{scores};
  print join(" ", $found->get_score, map { "$_=$scores->{$_}" } split /,/, $found->get_names_of_tests_hit), "\\n";
  $found->finish;
  $mail->finish;
}
`;

/** @returns a scorer; `null` when SpamAssassin is not installed */
export function spamAssassin(): SpamScorer | null {
  if (spawnSync("perl", ["-MMail::SpamAssassin", "-e", "1"]).status !== 0) return null;
  return async (messages) => {
    const folder = await mkdtemp(join(tmpdir(), "kauke-spamassassin-"));
    try {
      const paths = [...messages.keys()].map((_, index) => join(folder, String(index)));
      await Promise.all([...messages.values()].map((bytes, index) => writeFile(paths[index] as string, bytes)));
      const lines = (await run(paths)).split("\n");
      return new Map([...messages.keys()].map((name, index) => [name, readScore(lines[index] ?? "")]));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

function run(paths: readonly string[]): Promise<string> {
  const child = spawn("perl", ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk) => void (out += String(chunk)));
  child.stdin.end(paths.map((path) => `${path}\n`).join(""));
  return new Promise((resolve, reject) =>
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(new Error(`SpamAssassin ended with ${code}`)))),
  );
}

function readScore(line: string): SpamScore {
  const [score = "", ...rules] = line.split(" ");
  if (!/^-?[\d.]+$/.test(score)) throw new Error(`no score: ${line}`);
  const points = rules.map((rule) => rule.split("=")).map(([rule = "", value]) => [rule, Number(value)] as const);
  return { score: Number(score), rules: Object.fromEntries(points.filter(([, value]) => value !== 0)) };
}
