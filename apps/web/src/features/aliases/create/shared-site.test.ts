import fc from "fast-check";
import { expect, test } from "vitest";
import { readShared } from "./shared-site.ts";

const shared = (fields: Record<string, string>) => readShared(`?${new URLSearchParams(fields)}`);

test.each([
  [{ url: "https://shop.example/cart?id=7#x" }, "shop.example"],
  [{ url: "https://www.shop.example" }, "shop.example"],
  [{ url: "HTTP://user:secret@SHOP.example.:8080/" }, "shop.example"],
  [{ title: "Shoes", text: "Nice shoes: https://shop.example/a, look" }, "shop.example"],
  [{ title: "https://shop.example" }, "shop.example"],
  [{ url: "no address", text: "https://shop.example" }, "shop.example"],
  [{ url: "https://café-noir.example/menu" }, "xn--caf-noir-d1a.example"],
])("%j names the site %s", (fields, host) => expect(shared(fields)).toBe(host));

test.each<Record<string, string>>([
  { url: "" },
  { url: "javascript:alert(1)" },
  { url: "data:text/html,https" },
  { url: "https://localhost/" },
  { url: "https://192.0.2.7/" },
  { url: "https://[2001:db8::1]/" },
  { url: "https://" },
  { text: "shop.example" },
  { title: "Shoes" },
  { new: "" },
])("%j asks for a new alias without naming a site", (fields) => expect(shared(fields)).toBe(""));

test.each(["", "?", "?alias=7", "?%E0%A4%A", "?URL=https://shop.example"])("%j asks for nothing", (search) =>
  expect(readShared(search)).toBeNull(),
);

test("whatever the address contains, the result is null, empty or a short host name", () => {
  const anything = fc.string({ unit: "binary", maxLength: 600 });
  const near = fc
    .tuple(fc.constantFrom("url=", "text=", "title=", "new"), fc.constantFrom("", "https://"), fc.webUrl(), anything)
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(anything, near, fc.webQueryParameters()), (search) => {
      const found = readShared(`?${search}`);
      if (found !== null) expect(found).toMatch(/^(?:[\w.-]{1,253}\.[\w-]+)?$/);
    }),
  );
});

test("a long address is read in a moment", () => {
  const before = performance.now();
  readShared(`?text=${"https://".repeat(500_000)}`);
  readShared(`?text=${encodeURIComponent(" https://a".repeat(200_000))}`);
  expect(performance.now() - before).toBeLessThan(2000);
});
