/**
 * Two releases use the same tables while processes are replaced. So no step since the last release may take away, rename
 * or lock what that release uses, unless the step contracts, and is alone with its table.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import * as AdminServer from "@plumbline/gateway-admin/api/AdminServer"
import * as BeaconArchive from "@plumbline/gateway-beacon/archive/BeaconArchive"
import * as IpfsProjects from "@plumbline/gateway-ipfs/IpfsProjects"
import * as SqlAnswerStore from "@plumbline/gateway/cache/SqlAnswerStore"
import type * as Migrations from "@plumbline/gateway/state/Migrations"
import * as StateBackup from "@plumbline/gateway/StateBackup"

import * as SharedTrust from "../../src/service/SharedTrust.ts"
import * as Statements from "../support/Statements.ts"

const parts: ReadonlyArray<Migrations.Migrations> = [
  ...StateBackup.migrations,
  ...AdminServer.migrations,
  IpfsProjects.migrations,
  BeaconArchive.migrations,
  SqlAnswerStore.migrations,
  SharedTrust.migrations
]

/** The number of steps of each part in the last release. */
const released: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../fixtures/released-steps.json"), "utf8")
)

/** Changes that a program of the release before would miss, or wait for. */
const FAULTS: ReadonlyArray<readonly [pattern: RegExp, fault: string]> = [
  [/\b(?:DROP|RENAME|TRUNCATE)\b/iu, "takes away or renames"],
  [/\bDELETE FROM\b/iu, "deletes rows"],
  [/\bALTER COLUMN\b|\bADD (?:CONSTRAINT|PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY)\b/iu, "makes stricter"],
  [/\bADD COLUMN\b(?!.*\bDEFAULT\b).*\bNOT NULL\b/iu, "adds a column that old programs do not fill"],
  [/^UPDATE\b/iu, "locks the rows of a table"],
  [/^CREATE (?:UNIQUE )?INDEX\b/iu, "locks a table while it is indexed"]
]

const tableOf = (statement: string): string | undefined =>
  /^(?:CREATE TABLE|ALTER TABLE|DROP TABLE|INSERT INTO|UPDATE|DELETE FROM|TRUNCATE(?: TABLE)?|CREATE (?:UNIQUE )?INDEX \S+ ON)(?: IF (?:NOT )?EXISTS)? "?(\w+)"?/iu.exec(
    statement
  )?.[1]

const faultsOf = async (part: Migrations.Migrations, steps: number): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const database of ["pg", "sqlite"] as const) {
    const later = await Promise.all(part.steps.slice(steps).map((step) => Statements.of(step, database)))
    const made = later.map((texts) => new Set(texts.filter((text) => /^CREATE TABLE\b/iu.test(text)).map(tableOf)))
    for (const [index, texts] of later.entries()) {
      const version = steps + index + 1
      const others = new Set(
        later
          .filter((_, at) => at !== index)
          .flat()
          .map(tableOf)
      )
      const isContraction = part.contracts?.includes(version) ?? false
      for (const text of texts) {
        const table = tableOf(text)
        const [, fault] = FAULTS.find(([pattern]) => pattern.test(text)) ?? []
        // nobody uses a table yet that the same release makes
        if (fault === undefined || (table !== undefined && made.some((tables) => tables.has(table)))) continue
        if (!isContraction) faults.push(`${part.name} ${version} ${fault}: ${text}`)
        else if (others.has(table))
          faults.push(`${part.name} ${version} contracts what the same release expands: ${text}`)
      }
    }
  }
  return [...new Set(faults)]
}

describe("the migrations since the last release", () => {
  it("leave the release before everything that it uses", async () => {
    expect(Object.keys(released).sort()).toEqual(parts.map(({ name }) => name).sort())
    for (const part of parts) {
      expect(part.steps.length).toBeGreaterThanOrEqual(released[part.name]!)
      expect(await faultsOf(part, released[part.name]!)).toEqual([])
    }
  })

  const add: Migrations.Migrations["steps"][number] = (sql) => sql`ALTER TABLE t ADD COLUMN b TEXT`
  const step =
    (text: string): Migrations.Migrations["steps"][number] =>
    (sql) =>
      sql.unsafe(text)
  const made = (...steps: Migrations.Migrations["steps"]) => ({
    name: "p",
    steps: [step("CREATE TABLE t (a TEXT)"), ...steps]
  })

  it.each([
    ["DROP TABLE t", "takes away or renames"],
    ["ALTER TABLE t DROP COLUMN a", "takes away or renames"],
    ["ALTER TABLE t RENAME COLUMN a TO b", "takes away or renames"],
    ["DELETE FROM t", "deletes rows"],
    ["ALTER TABLE t ALTER COLUMN a SET NOT NULL", "makes stricter"],
    ["ALTER TABLE t ADD PRIMARY KEY (a)", "makes stricter"],
    ["ALTER TABLE t ADD COLUMN b TEXT NOT NULL", "adds a column that old programs do not fill"],
    ["UPDATE t SET a = 'x'", "locks the rows of a table"],
    ["CREATE INDEX i ON t (a)", "locks a table while it is indexed"]
  ])("may not: %s", async (text, fault) => {
    expect(await faultsOf(made(step(text)), 1)).toEqual([`p 2 ${fault}: ${text}`])
    // of a table that the same release makes, nobody is disturbed
    expect(await faultsOf(made(step(text)), 0)).toEqual([])
    expect(await faultsOf({ ...made(step(text)), contracts: [2] }, 1)).toEqual([])
    // expanded and contracted in one release
    expect(await faultsOf({ ...made(add, step(text)), contracts: [3] }, 1)).toEqual([
      `p 3 contracts what the same release expands: ${text}`
    ])
    expect(await faultsOf({ ...made(add, step(text)), contracts: [3] }, 2)).toEqual([])
  })

  it("may add tables, their indexes, and columns that have a default", async () => {
    const added = [
      "CREATE TABLE later (x TEXT NOT NULL)",
      "CREATE INDEX later_of ON later (x)",
      "ALTER TABLE t ADD COLUMN b TEXT",
      "ALTER TABLE t ADD COLUMN c TEXT NOT NULL DEFAULT ''",
      "INSERT INTO later (x) VALUES ('1')"
    ]
    expect(await faultsOf(made(...added.map(step)), 1)).toEqual([])
  })
})
