import { fastify } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { AppError, fieldError } from "../../core/app-error.ts";
import { errorAnswerer } from "../response/answer-errors.ts";
import { readAnyJson } from "./dialect-body.ts";
import { shapeErrors } from "./dialect-errors.ts";

async function serve(thrown: () => unknown) {
  const logged: string[] = [];
  const log = (event: string) => void logged.push(event);
  const app = fastify();
  onTestFinished(() => app.close());
  const clock = { now: () => new Date("2026-03-01T10:00:00Z") };
  const random = { uuid: () => "an-incident", bytes: Buffer.alloc };
  const logger = { info: log, warn: log, error: log };
  app.setErrorHandler(errorAnswerer({ clock, random, logger, isOutage: () => false }));
  await app.register(async (scope) => {
    readAnyJson(scope);
    shapeErrors(scope, ({ message, errors }, status) => ({
      status: status === 400 ? 422 : status,
      body: { error: message, errors },
    }));
    scope.post("/their/call", () => {
      throw thrown();
    });
    scope.get("/their/list", async () => ({ code: "invalid", message: "an answer that is no error" }));
  });
  app.post("/our/call", () => {
    throw thrown();
  });
  const post = (url: string, payload = "{}") =>
    app.inject({ method: "POST", url, payload, headers: { "content-type": "application/json" } });
  return { app, logged, post };
}

it("an error of a dialect's route has the dialect's form and status, and an error of Kauke's own route keeps its form", async () => {
  const { post } = await serve(() => fieldError("domain", "Please choose one of the available domains"));
  const theirs = await post("/their/call");
  expect([theirs.statusCode, theirs.json()]).toEqual([
    422,
    {
      error: "Please choose one of the available domains",
      errors: { domain: ["Please choose one of the available domains"] },
    },
  ]);
  const ours = await post("/our/call");
  expect([ours.statusCode, ours.json().code]).toEqual([400, "invalid"]);
});

it("an error before the handler, such as a malformed body, has the dialect's form", async () => {
  const { post } = await serve(() => new Error("not reached"));
  const answer = await post("/their/call", "{");
  expect([answer.statusCode, answer.json()]).toEqual([422, { error: "The body is not valid JSON." }]);
});

it("Retry-After is kept, and an unexpected error is logged and reveals nothing in the response", async () => {
  const limited = await serve(
    () => new AppError("rate_limited", { resetAt: new Date("2026-03-01T10:00:30Z"), message: "Too fast." }),
  );
  const answer = await limited.post("/their/call");
  expect([answer.statusCode, answer.headers["retry-after"], answer.json()]).toEqual([
    429,
    "30",
    { error: "Too fast." },
  ]);
  const broken = await serve(() => new TypeError("the address ann@example.org can't be read"));
  const incident = await broken.post("/their/call");
  expect([incident.statusCode, incident.body.includes("ann@"), broken.logged]).toEqual([
    500,
    false,
    ["http_unexpected"],
  ]);
});

it("a response that is no error stays unchanged", async () => {
  const { app } = await serve(() => null);
  expect((await app.inject("/their/list")).json()).toEqual({ code: "invalid", message: "an answer that is no error" });
});
