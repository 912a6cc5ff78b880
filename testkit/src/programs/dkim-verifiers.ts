/**
 * Independent DKIM verifiers for many messages: Debian's Mail::DKIM (Perl) and python3-dkim. Each runs as one process
 * that reads a message and its DNS records as one line of JSON, and answers with one line. Both look names up as they
 * are written, and never in the real DNS.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";

/** TXT records by name, in lower case. */
export type KeyTable = Readonly<Record<string, readonly string[]>>;

const perlScript = `
use strict; use warnings;
use JSON::PP; use MIME::Base64; use Mail::DKIM::Verifier;
package Record { sub new { bless { text => $_[1] }, $_[0] } sub type { 'TXT' } sub txtdata { $_[0]{text} } }
my $table;
{ no warnings 'redefine';
  *Mail::DKIM::DNS::query = sub { $@ = 'NXDOMAIN'; map { Record->new($_) } @{ $table->{lc $_[0]} // [] } }; }
$| = 1;
while (my $line = <STDIN>) {
  my $question = decode_json($line);
  $table = $question->{keys};
  my $result = eval {
    my $dkim = Mail::DKIM::Verifier->new(Strict => 1);
    $dkim->PRINT(decode_base64($question->{message}));
    $dkim->CLOSE;
    $dkim->result;
  } // 'error';
  print "$result\\n";
}
`;

const pythonScript = `
import base64, json, sys, dkim
for line in sys.stdin:
    question = json.loads(line)
    def look_up(name, timeout=5):
        found = question["keys"].get(name.decode("latin-1").rstrip(".").lower(), [])
        return found[0].encode() if found else None
    try:
        passed = dkim.verify(base64.b64decode(question["message"]), dnsfunc=look_up)
    except Exception:
        passed = False
    print("pass" if passed else "fail", flush=True)
`;

const programs = {
  "Mail::DKIM": ["perl", ["-e", perlScript], ["-MMail::DKIM", "-e", "1"]],
  "python3-dkim": ["/usr/bin/python3", ["-c", pythonScript], ["-c", "import dkim"]],
} as const;

export type VerifierName = keyof typeof programs;

export const verifierNames = Object.keys(programs) as VerifierName[];

export class DkimVerifier implements AsyncDisposable {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  /** @returns `null` when the program is not installed */
  static start(name: VerifierName): DkimVerifier | null {
    const [program, args, probe] = programs[name];
    return spawnSync(program, probe).status === 0 ? new DkimVerifier(spawn(program, args)) : null;
  }

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#process = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.resume();
  }

  /** @returns the program's result, `pass` for a message with a valid signature; one call at a time */
  async verify(message: Buffer, keys: KeyTable): Promise<string> {
    this.#process.stdin.write(`${JSON.stringify({ message: message.toString("base64"), keys })}\n`);
    const answer = await this.#answers.next();
    if (answer.done === true) throw new Error("the verifier has ended");
    return answer.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    this.#process.kill();
  }
}
