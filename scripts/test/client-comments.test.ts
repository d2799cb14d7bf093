/** Each method of a client has a comment, so that an editor shows a sentence about it. */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { expect, test } from "vitest"

import { packages } from "../workspace.ts"

const CLIENTS = /^export interface (\w*Client)\b[^{\n]*\{\n(.*?)^\}/gmsu
const MEMBER = /^ {2}(?:readonly )?(\w+)\??(?:: |[(<])/u

/** The members of client interfaces, and those among them that no comment precedes. */
const membersIn = (source: string) =>
  Array.from(source.matchAll(CLIENTS)).flatMap(([, client, body]) => {
    const lines = body!.split("\n")
    return lines.flatMap((line, at) => {
      const name = MEMBER.exec(line)?.[1]
      return name === undefined ? [] : [{ name: `${client}.${name}`, isBare: lines[at - 1]?.endsWith("*/") !== true }]
    })
  })

/** A client whose methods are mapped from a group: each method must then have a named type, which has the comment. */
const MAPPED = /^export type (\w*(?:Client|Methods))\b[^{;\n]*\{\n\s*readonly \[[^\n]*?\]\??: (.*)$/gmu

const mappedIn = (source: string) =>
  Array.from(source.matchAll(MAPPED)).map(([, name, type]) => {
    const named = /^(\w+)</u.exec(type!)?.[1]
    return {
      name: name!,
      isBare: named === undefined || !new RegExp(`\\*/\nexport type ${named}\\b`, "u").test(source)
    }
  })

const sources = packages().flatMap(({ dir }) =>
  globSync("src/**/*.ts", { cwd: dir }).map((file) => readFileSync(path.join(dir, file), "utf8"))
)

test("each method of a client has a comment", () => {
  const members = sources.flatMap(membersIn)
  expect(members.filter(({ isBare }) => isBare)).toEqual([])
  expect(members.length).toBeGreaterThan(150)
})

test("the methods of a mapped client have a named type with a comment", () => {
  const clients = sources.flatMap(mappedIn)
  expect(clients.filter(({ isBare }) => isBare)).toEqual([])
  expect(clients.map(({ name }) => name)).toEqual(["JsonRpcClient", "PromiseMethods"])
})

test("a method without a comment is found", () => {
  const source = "export interface Client {\n  /** One. */\n  readonly one: number\n  readonly two: number\n}\n"
  expect(membersIn(source)).toEqual([
    { name: "Client.one", isBare: false },
    { name: "Client.two", isBare: true }
  ])
})

test("a mapped client with unnamed methods is found", () => {
  const mapped = (type: string) => `export type AnyClient<G> = {\n  readonly [N in keyof G]: ${type}\n}\n`
  const named = "/** One. */\nexport type One<M> = (m: M) => void\n"
  expect(mappedIn(mapped("() => void"))).toEqual([{ name: "AnyClient", isBare: true }])
  expect(mappedIn(mapped("One<G[N]>"))).toEqual([{ name: "AnyClient", isBare: true }])
  expect(mappedIn(named + mapped("One<G[N]>"))).toEqual([{ name: "AnyClient", isBare: false }])
})
