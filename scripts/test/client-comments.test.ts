/** Each method of a public client has a comment, so that an editor shows a sentence about it. */
import { readFileSync } from "node:fs"
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

test("each method of a client has a comment", () => {
  const members = packages().flatMap(({ dir, modules }) =>
    modules.flatMap((module) => membersIn(readFileSync(path.join(dir, "src", `${module}.ts`), "utf8")))
  )
  expect(members.filter(({ isBare }) => isBare)).toEqual([])
  expect(members.length).toBeGreaterThan(60)
})

test("a method without a comment is found", () => {
  const source = "export interface Client {\n  /** One. */\n  readonly one: number\n  readonly two: number\n}\n"
  expect(membersIn(source)).toEqual([
    { name: "Client.one", isBare: false },
    { name: "Client.two", isBare: true }
  ])
})
