import { readFileSync } from "node:fs"
import * as path from "node:path"

import { expect, test } from "vitest"

import { programs } from "../../lab/main.ts"
import { root } from "../workspace.ts"

test("each program of the laboratory has a row in its index, and each row a program", () => {
  const [, table = ""] = /\n(\| program[^]*?)\n\n/u.exec(readFileSync(path.join(root, "lab/README.md"), "utf8")) ?? []
  const rows = [...table.matchAll(/^\| `([a-z-]+)/gmu)].map(([, name]) => name!)
  expect(rows.toSorted()).toEqual([...programs().keys()].toSorted())
})

test("a program starts in the folder of its manifest", () => {
  expect(programs().get("kubo")).toEqual({ dir: "lab/ipfs", args: ["src/kubo/main.ts"] })
  expect(programs().get("build")).toBeUndefined()
  expect(programs().get("test")).toBeUndefined()
})
