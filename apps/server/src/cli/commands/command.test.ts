import { describe, expect, it } from "vitest";
import { type Command, findCommand } from "./command.ts";

const command = (usage: string, options: Command["options"] = {}): Command => ({
  usage,
  about: "does it",
  options,
  run: () => Promise.resolve(0),
});
const users = command("users", { "show-addresses": "also prints them" });
const usersFind = command("users find <email>");
const restore = command("restore <file>", { "data-dir <folder>": "where to" });

const found = (...typed: string[]) => findCommand([users, usersFind, restore], typed);

describe("the command line of kauke", () => {
  it.each([
    [["users"], users, [], {}],
    [["users", "--show-addresses", "--json"], users, [], { "show-addresses": true, json: true }],
    [["users", "find", "a@b.example"], usersFind, ["a@b.example"], {}],
    [["--json", "users", "find", "a@b.example"], usersFind, ["a@b.example"], { json: true }],
    [["users", "find", "--", "-a@b.example"], usersFind, ["-a@b.example"], {}],
    [["restore", "--data-dir", "there", "file"], restore, ["file"], { "data-dir": "there" }],
    [["--data-dir", "there", "restore", "file"], restore, ["file"], { "data-dir": "there" }],
    [["restore", "file", "--data-dir=there"], restore, ["file"], { "data-dir": "there" }],
  ])("%j runs its command, wherever the options are", (typed, expected, args, values) => {
    expect(found(...typed)).toEqual({ kind: "run", command: expected, args, values });
  });

  it.each([
    [[], "<command>"],
    [["usres"], "<command>"],
    [["--nonsense"], "<command>"],
    [["constructor"], "<command>"],
    [["users", "extra"], "users "],
    [["users", "find"], "users find "],
    [["users", "--nonsense"], "users "],
    [["users", "--data-dir", "there"], "users "],
    [["users", "--show-addresses=yes"], "users "],
    [["restore", "file", "--data-dir"], "restore "],
    [["restore", "file", "more", "--data-dir", "there"], "restore "],
  ])("%j is invalid and gets the help", (typed, usage) => {
    const unknown = found(...typed);
    expect(unknown.kind).toBe("unknown");
    expect(unknown).toHaveProperty("text", expect.stringContaining(`Usage: npx kauke ${usage}`));
  });

  it.each([[["--help"]], [["-h"]], [["users", "find", "-h"]], [["restore", "--help", "file"]]])(
    "%j asks for the help",
    (typed) => {
      expect(found(...typed).kind).toBe("help");
    },
  );
});
