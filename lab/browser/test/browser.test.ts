import { readFileSync } from "node:fs"
import * as path from "node:path"

import { expect, test } from "vitest"

import { bundle, gzipAtStart, gzipWithoutEffect, NotForBrowsers } from "../src/bundle.ts"
import { run } from "../src/realm.ts"

const here = import.meta.dirname
const ask = (code: string) => run({ code: `var program = { run: () => ${code} }`, name: "program", entry: "run" })

test.each([
  ["a builtin", `export * from "node:fs"`],
  ["a builtin without its prefix", `export * from "fs"`],
  ["a builtin imported when needed", `export const read = () => import("node:fs")`],
  [
    "a builtin imported under try",
    `export const read = async () => { try { return await import("node:fs") } catch {} }`
  ],
  ["a builtin imported with a catch", `export const read = () => import("node:fs").catch(() => undefined)`],
  ["a builtin required under try", `let fs; try { fs = require("fs") } catch {} export { fs }`],
  ["a package that is not there", `export * from "not-there"`]
])("a bundle with %s is refused", async (_, source) => {
  await expect(bundle(source, here)).rejects.toBeInstanceOf(NotForBrowsers)
})

test("a bundle without builtins is one script with its exports in a global", async () => {
  const { code, gzip, min } = await bundle(`export const run = (): string => "here"`, here, "program")
  expect(min).toBe(new TextEncoder().encode(code).length)
  expect(gzip).toBeGreaterThan(0)
  expect(await run({ code, name: "program", entry: "run" })).toEqual({ _tag: "Done", said: "here" })
})

test("Node's globals are not in the realm", async () => {
  const names = [
    "process",
    "Buffer",
    "require",
    "module",
    "exports",
    "global",
    "setImmediate",
    "__dirname",
    "__filename"
  ]
  const kinds = names.map((name) => `typeof ${name}`).join(", ")
  expect(await ask(`[${kinds}].join()`)).toEqual({ _tag: "Done", said: names.map(() => "undefined").join() })
  expect(await ask(`String(process.pid)`)).toMatchObject({ why: expect.stringContaining("process is not defined") })
})

test("the realm's own Uint8Array is the one that its encoder answers with", async () => {
  const said = await ask(`String(new TextEncoder().encode("é") instanceof Uint8Array)`)
  expect(said).toEqual({ _tag: "Done", said: "true" })
})

test("code is not made from text in the realm, as under a content security policy", async () => {
  expect(await ask(`new Function("return 1")()`)).toMatchObject({ why: expect.stringContaining("EvalError") })
})

test("a script that throws, rejects, answers no text or does not parse has failed", async () => {
  expect(await ask(`{ throw new Error("no") }`)).toMatchObject({ _tag: "Failed", why: expect.stringContaining("no") })
  expect(await ask(`Promise.reject(new Error("later"))`)).toMatchObject({ why: expect.stringContaining("later") })
  expect(await ask(`1`)).toMatchObject({ _tag: "Failed" })
  expect(await ask(`)`)).toMatchObject({ _tag: "Failed" })
})

test("a builtin cannot be had from inside the realm", async () => {
  expect(await ask(`import("node:fs").then(() => "had")`)).toMatchObject({ _tag: "Failed" })
})

test("the client of the gateway's admin API runs in the realm, though the gateway does not", async () => {
  const source = readFileSync(path.join(here, "admin-client.ts"), "utf8")
  const { code } = await bundle(source, here, "program")
  const said = await run({ code, name: "program", entry: "run" })
  expect(said).toEqual({ _tag: "Done", said: "Bearer t http://here/admin/v1/projects" })
  await expect(bundle(`export * from "@plumbline/gateway-admin"`, here)).rejects.toBeInstanceOf(NotForBrowsers)
})

test("the provider makes a page load less than 140 kB at once, with effect and after gzip", async () => {
  const program = `export * from "@plumbline/provider"`
  const atStart = await gzipAtStart(program, here)
  expect(atStart).toBeLessThan(140_000)
  // the engine for senders, subscriptions, filters and WebSocket are loaded on demand
  expect((await bundle(program, here)).gzip).toBeGreaterThan(atStart + 10_000)
})

test("a light client costs a page at most 35 kB after gzip, and 41 kB with its nodes and its store, without effect", async () => {
  const exports = (...modules: ReadonlyArray<string>): string =>
    modules.map((module, at) => `export * as m${at} from "@plumbline/beacon-light-client/${module}"`).join("\n")
  expect(await gzipWithoutEffect(exports("follow/LightClient"), here)).toBeLessThanOrEqual(35_000)
  const program = exports("follow/LightClient", "api/BeaconNodes", "store/IndexedDbStore", "network/Network")
  expect(await gzipWithoutEffect(program, here)).toBeLessThanOrEqual(41_000)
})

test("a package that keeps calls in bundles, and the clients that run them, hold no virtual machine", async () => {
  // a text of the machine, which no minifier changes
  const machine = "stack underflow"
  const codeOf = async (name: string) => (await bundle(`export * from "@plumbline/${name}"`, here)).code
  expect(await codeOf("verified-calls")).toContain(machine)
  for (const name of ["proof-bundle", "eth-methods", "provider"]) expect(await codeOf(name)).not.toContain(machine)
})
