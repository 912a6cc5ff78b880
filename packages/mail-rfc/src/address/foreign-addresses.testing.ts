/** Local parts that hosts assign: whatever RFC 5322 allows, dots anywhere, up to 256 octets. */
import fc from "fast-check";
import { canonicalLocal, FOREIGN_LOCAL_MAX_OCTETS, quoteLocal } from "./address.ts";

const atext = fc.constantFrom(..."abcXYZ0189!#$%&'*+/=?^_`{|}~-.éß日");
const qtext = fc.constantFrom(...'ab"\\ .@<>(),:;[]+=é-');
const fits = (local: string) => local !== "" && Buffer.byteLength(local) <= FOREIGN_LOCAL_MAX_OCTETS;
const textOf = (character: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(character, { minLength: 1, maxLength }).map((all) => all.join(""));

/** Local parts in canonical spelling, a third of them longer than 64 octets. */
export const foreignLocals: fc.Arbitrary<string> = fc
  .oneof(
    textOf(atext, 30),
    textOf(atext, 256),
    textOf(qtext, 24).map(quoteLocal),
    textOf(atext, 24).map((text) => `"${text}"`),
    fc.constantFrom(
      "taro..yamada",
      "hanako.",
      ".hanako",
      '"taro..yamada"',
      '"\\"a..b"',
      '"\\"\\"x"',
      '"a\\"b\\\\c"',
      '"SRS0=a"',
    ),
    textOf(atext, 12).map((text) => `bounces+${text}=me=inbox.example`),
  )
  .filter(fits)
  .map(canonicalLocal)
  .filter(fits);
