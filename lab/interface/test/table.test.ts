/** Checks docs/interface.md: every sentence has a row, every row names a test, and every test has a row. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"

import * as Table from "./support/table.ts"

const rows = Table.rows()
const interfaceText = path.join(Table.root, "../shared/spec/01-service-interface.md")
const folder = path.join(Table.root, "lab/interface/test/interface")

/** True if a file declares a test of this name, which means that the whole name is a string in the file. */
const declares = (file: string, test: string): boolean => {
  const text = readFileSync(path.join(Table.root, file), "utf8")
  return text.includes(JSON.stringify(test)) || text.includes(`\`${test}\``)
}

describe("the table from sentence to test", () => {
  it.each(rows.flatMap(({ proofs, sentence }) => proofs.map((proof) => ({ ...proof, sentence }))))(
    "$sentence ($file)",
    ({ file, test }) => {
      assert.isTrue(existsSync(path.join(Table.root, file)), `there is no ${file}`)
      assert.isTrue(declares(file, test), `${file} has no test "${test}"`)
    }
  )

  it("has a row for each test that is named after a sentence", () => {
    const sentences = new Set(rows.map(({ sentence }) => sentence))
    for (const file of readdirSync(folder)) {
      for (const [, name] of readFileSync(path.join(folder, file), "utf8").matchAll(/^ {2}"(.+)":(?: |$)/gmu)) {
        assert.isTrue(sentences.has(name!), `${file}: ${name}`)
      }
    }
  })

  it.skipIf(!existsSync(interfaceText))("has every sentence of ../shared/spec (SKIPPED where it is not)", () => {
    assert.deepStrictEqual(
      rows.map(({ section, sentence }) => ({ section, sentence })),
      Table.cut(readFileSync(interfaceText, "utf8"))
    )
  })
})
