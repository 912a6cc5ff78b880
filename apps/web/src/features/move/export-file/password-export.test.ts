import { describe, expect, test } from "vitest";
import { readPasswordExport } from "./password-export.ts";

const secret = "hunter2 \"',;\n";

const problemOf = (text: string) => {
  try {
    return readPasswordExport(text);
  } catch (error) {
    const { problem, program } = error as { problem: string; program: string | null };
    return { problem, program };
  }
};

const bitwardenItem = (name: string, username: string | null, uri: string | null) => ({
  type: 1,
  name,
  notes: secret,
  fields: [{ name: "pin", value: secret }],
  login: { username, password: secret, totp: secret, uris: uri === null ? null : [{ match: null, uri }] },
  passwordHistory: [{ password: secret }],
});

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const files: Record<string, { text: string; program: string | null; entries: number }> = {
  "Bitwarden JSON": {
    program: "Bitwarden",
    entries: 3,
    text: JSON.stringify({
      encrypted: false,
      folders: [],
      items: [
        bitwardenItem("Shop", "ann7@duck.com", "https://www.shop.example/login?token=abc"),
        bitwardenItem("Forum", "Zoë@mozmail.com", null),
        bitwardenItem("Router", "admin", "http://192.168.0.1"),
        { type: 2, name: "Note", notes: secret },
      ],
    }),
  },
  "Bitwarden CSV": {
    program: "Bitwarden",
    entries: 3,
    text: [
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp",
      `,1,login,Shop,${quoted(secret)},,0,"https://shop.example/login,androidapp://example.shop",ann7@duck.com,${quoted(secret)},`,
      `,,login,Forum,,,0,,Zoë@mozmail.com,${quoted(secret)},`,
      `,,login,Router,,,0,http://192.168.0.1,admin,${quoted(secret)},`,
      `,,note,Note,${quoted(secret)},,0,,,,`,
    ].join("\n"),
  },
  "Proton Pass JSON": {
    program: "Proton Pass",
    entries: 3,
    text: JSON.stringify({
      version: "1.21.2",
      encrypted: false,
      vaults: {
        v1: {
          items: [
            {
              data: {
                type: "login",
                metadata: { name: "Shop", note: secret },
                content: {
                  itemEmail: "ann7@duck.com",
                  itemUsername: "ann",
                  password: secret,
                  urls: ["https://shop.example/"],
                },
              },
            },
            { data: { type: "alias", metadata: { name: "Forum" }, content: {} }, aliasEmail: "Zoë@mozmail.com" },
            {
              data: {
                type: "login",
                metadata: { name: "Router" },
                content: { username: "admin", password: secret, urls: ["http://192.168.0.1"] },
              },
            },
            { data: { type: "note", metadata: { name: "Note", note: secret }, content: {} } },
          ],
        },
      },
    }),
  },
  "Proton Pass CSV": {
    program: "Proton Pass",
    entries: 3,
    text: [
      "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault",
      `login,Shop,"https://shop.example/, https://pay.example/",ann7@duck.com,ann,${quoted(secret)},${quoted(secret)},,1,1,Personal`,
      `alias,Forum,,Zoë@mozmail.com,,,,,1,1,Personal`,
      `login,Router,http://192.168.0.1,,admin,${quoted(secret)},,,1,1,Personal`,
      `creditCard,Card,,,,,${quoted(secret)},,1,1,Personal`,
    ].join("\r\n"),
  },
  "Proton Pass JSON with sites of other modes than the default": {
    program: "Proton Pass",
    entries: 3,
    text: JSON.stringify({
      version: "1.36.0",
      vaults: {
        v1: {
          items: [
            {
              data: {
                type: "login",
                metadata: { name: "Entry", note: secret },
                content: {
                  itemEmail: "ann7@duck.com",
                  password: secret,
                  urls: [],
                  autofillUrls: [{ url: "https://shop.example/?token=x", mode: 1 }],
                },
              },
            },
            {
              data: {
                type: "login",
                metadata: { name: "Forum" },
                content: { itemEmail: "Zoë@mozmail.com", password: secret, urls: [], autofillUrls: [] },
              },
            },
            {
              data: {
                type: "login",
                metadata: { name: "Router" },
                content: {
                  username: "admin",
                  password: secret,
                  autofillUrls: [{ url: "http://192.168.0.1", mode: 3 }],
                },
              },
            },
          ],
        },
      },
    }),
  },
  "Proton Pass CSV with sites of other modes than the default": {
    program: "Proton Pass",
    entries: 3,
    text: [
      "type,name,url,autofillUrls,email,username,password,note,totp,createTime,modifyTime,vault",
      `login,Entry,,${quoted('[{"url":"^https://.*","mode":5},{"url":"https://shop.example/?token=x,y","mode":1}]')},ann7@duck.com,ann,${quoted(secret)},${quoted(secret)},,1,1,Personal`,
      `login,Forum,,${quoted('[{"url":7},null,"x"')},Zoë@mozmail.com,,${quoted(secret)},,,1,1,Personal`,
      `login,Router,,${quoted('[{"url":"http://192.168.0.1","mode":6}]')},,admin,${quoted(secret)},,,1,1,Personal`,
    ].join("\r\n"),
  },
  "Proton Pass CSV with the same site in both columns": {
    program: "Proton Pass",
    entries: 2,
    text: [
      "type,name,url,autofillUrls,email,username,password,note,totp,createTime,modifyTime,vault",
      `login,Entry,https://shop.example/,${quoted('[{"url":"https://never.example/","mode":2},{"url":"https://shop.example/","mode":0}]')},ann7@duck.com,,${quoted(secret)},,,1,1,Personal`,
      `alias,Forum,,,Zoë@mozmail.com,,,,,1,1,Personal`,
    ].join("\r\n"),
  },
  "KeePassXC CSV": {
    program: "KeePassXC",
    entries: 3,
    text: [
      '"Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"',
      `"Root","Shop","ann7@duck.com",${quoted(secret)},"https://shop.example",${quoted(secret)},"","0","",""`,
      `"Root","Forum","Zoë@mozmail.com",${quoted(secret)},"","","","0","",""`,
      `"Root","Router","admin",${quoted(secret)},"http://192.168.0.1","","","0","",""`,
    ].join("\n"),
  },
  "KeePass CSV with backslashes": {
    program: "KeePass",
    entries: 3,
    text: [
      '"Account","Login Name","Password","Web Site","Comments"',
      String.raw`"Shop \"new\"","ann7@duck.com","hunter2 \"\\","https://shop.example/","\\"`,
      '"Forum","Zoë@mozmail.com","hunter2","",""',
      '"Router","admin","hunter2","http://192.168.0.1",""',
    ].join("\r\n"),
  },
  "Chrome CSV": {
    program: "Chrome",
    entries: 3,
    text: [
      "\uFEFFname,url,username,password,note",
      `Shop,https://shop.example/login,ann7@duck.com,${quoted(secret)},${quoted(secret)}`,
      `Forum,,Zoë@mozmail.com,${quoted(secret)},`,
      "",
      `Router,http://192.168.0.1/,admin,${quoted(secret)},`,
    ].join("\n"),
  },
  "Firefox CSV": {
    program: "Firefox",
    entries: 3,
    text: [
      '"url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"',
      `"https://shop.example","ann7@duck.com",${quoted(secret)},,"","{1}","1","1","1"`,
      `"Forum","Zoë@mozmail.com",${quoted(secret)},,"","{2}","1","1","1"`,
      `"http://192.168.0.1","admin",${quoted(secret)},,"","{3}","1","1","1"`,
    ].join("\n"),
  },
  "another program's CSV with semicolons": {
    program: null,
    entries: 3,
    text: [
      "Titel;Title;Website;Login;Password",
      `x;Shop;https://shop.example;ann7@duck.com;${quoted(secret)}`,
      `x;Forum;;Zoë@mozmail.com;${quoted(secret)}`,
      `x;Router;http://192.168.0.1;admin;${quoted(secret)}`,
    ].join("\n"),
  },
};

describe("the export of a password manager", () => {
  test.each(Object.entries(files))("%s: sites and addresses are read, nothing else", (name, { text, ...expected }) => {
    const read = readPasswordExport(text);
    const sites = ["shop.example", name === "Firefox CSV" ? null : "Forum"];
    const addresses = ["ann7@duck.com", "Zoë@mozmail.com"];
    const logins = sites.flatMap((site, index) => (site === null ? [] : [{ site, address: addresses[index] }]));
    expect(read).toEqual({ ...expected, logins: name === "Firefox CSV" ? read.logins : logins });
    expect(read.logins).toContainEqual(logins[0]);
    expect(JSON.stringify(read)).not.toMatch(/hunter2|token/);
  });

  test("a login stored twice, even in different letter case, counts once", () => {
    const items = ["ann7@duck.com", "Ann7@duck.com"].map((user) => bitwardenItem("Shop", user, "https://SHOP.example"));
    expect(readPasswordExport(JSON.stringify({ items }))).toMatchObject({
      entries: 2,
      logins: [{ site: "shop.example" }],
    });
  });

  test("an export of 50,000 logins is read", () => {
    const rows = Array.from(
      { length: 50_000 },
      (_, index) => `s,https://s${index}.example/,a${index}@duck.com,"p""w",`,
    );
    const { logins } = readPasswordExport(`name,url,username,password,note\n${rows.join("\n")}`);
    expect(logins).toHaveLength(50_000);
    expect(logins.at(-1)).toEqual({ site: "s49999.example", address: "a49999@duck.com" });
  });

  test.each([
    ["an encrypted Bitwarden export", JSON.stringify({ encrypted: true, data: "2.x" }), "encrypted", "Bitwarden"],
    ["an encrypted Proton Pass export", JSON.stringify({ encrypted: true, vaults: {} }), "encrypted", "Proton Pass"],
    ["a PGP message", "-----BEGIN PGP MESSAGE-----\n\nx", "encrypted", "Proton Pass"],
    ["KeePass XML", '<?xml version="1.0"?><KeePassFile/>', "xml", null],
    ["SimpleLogin's aliases", "alias,note,enabled,mailboxes\na@b.example,,True,c@d.example", "aliases", "SimpleLogin"],
    ["addy.io's aliases", "id,local_part,domain,email,active\n1,a,b.example,a@b.example,1", "aliases", "addy.io"],
    ["Mailx's aliases", "alias,description,enabled,recipients\n", "aliases", "Mailx"],
    ["masks of Firefox Relay", '[{"full_address":"a@mozmail.com"}]', "aliases", null],
    ["JSON that is cut off", '{"items":[{"type":1', "damaged", null],
    ["CSV that is cut off in a cell", 'name,url,username,password\nx,https://x.example,"a', "damaged", null],
    ["other JSON", "[1,2]", "other", null],
    ["other CSV", "date,amount\n1,2", "other", null],
    ["text", "hello", "other", null],
    ["an empty file", " \n", "empty", null],
    ["a file without logins", "name,url,username,password,note\n", "empty", "Chrome"],
  ])("%s is refused with the right reason", (_, text, problem, program) => {
    expect(problemOf(text)).toEqual({ problem, program });
  });
});
