/**
 * Demo accounts for `npm run dev`, created through the API like any account: the personas of testkit. Argument: the
 * server's origin.
 */
import { personas } from "@kauke/testkit/personas";

const origin = process.argv[2] ?? "http://127.0.0.1:3000";
const lines: string[] = [];
for (const persona of Object.values(personas)) {
  await persona.create(origin);
  lines.push(`  ${persona.email.padEnd(24)} ${persona.password}   ${persona.about}`);
}
console.log(`\nDemo accounts:\n${lines.join("\n")}\n`);
