import { describe, expect, it } from "vitest";
import { plainUrl } from "./client-requests.ts";

describe("plainUrl", () => {
  it.each([
    ["/api/v1/aliases", "/api/v1/aliases"],
    ["//api/v1/aliases", "/api/v1/aliases"],
    ["/api/v1/aliases/", "/api/v1/aliases"],
    ["//api/v1/aliases/?page[size]=1&x=/", "/api/v1/aliases?page[size]=1&x=/"],
    ["//v1/account/", "/v1/account"],
    ["//api/alias/random/new/?hostname=a.example", "/api/alias/random/new?hostname=a.example"],
    ["///api/v1/aliases", "///api/v1/aliases"],
    ["//api/aliases/", "//api/aliases/"],
    ["/dashboard/", "/dashboard/"],
    ["//evil.example/api/v1/x", "//evil.example/api/v1/x"],
    ["/", "/"],
    ["*", "*"],
    ["/%61pi/v%31/aliases/?a=%61", "/api/v1/aliases?a=%61"],
    ["/api/a%2fb%2e%2E%2561%zz%4", "/api/a%2fb%2e%2E%2561%zz%4"],
  ])("%s becomes %s", (url, plain) => {
    expect(plainUrl({ url, headers: {} })).toBe(plain);
  });

  it("normalises any path of a request with the header field Authentication", () => {
    const headers = { authentication: "" };
    expect(plainUrl({ url: "//api/user_info/", headers })).toBe("/api/user_info");
    expect(plainUrl({ url: "/", headers })).toBe("/");
    expect(plainUrl({ url: "//", headers })).toBe("/");
  });
});
