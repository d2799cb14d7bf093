import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test, type TestContext } from "vitest"

import { makeCommand, makeMethod, makePackage } from "../new.ts"
import { root, versionOf } from "../workspace.ts"

/** Copies the files in which a new package is registered. */
const copy = ({ onTestFinished }: TestContext) => {
  const place = mkdtempSync(path.join(tmpdir(), "plumbline-new-"))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const registered = [
    "tsconfig.json",
    "tsconfig.tests.json",
    "turbo.json",
    "docs/start.md",
    ".oxlintrc.json",
    ".changeset/config.json",
    "scripts/workspace.ts",
    "lab/browser/package.json",
    "lab/browser/src/main.ts",
    "apps/plumbline/README.md",
    "docs/reference/commands.md",
    // the packages that use Ethereum's methods, and the app
    ...globSync("packages/{eth-methods,devnet}/src/**/*.ts", { cwd: root }),
    ...globSync("packages/eth-methods/{package.json,test/**/*.ts}", { cwd: root }),
    ...globSync("{lab/conformance/test,apps/plumbline/{src,test/support}}/**/*.ts", { cwd: root })
  ]
  for (const file of registered) cpSync(path.join(root, file), path.join(place, file))
  const text = (file: string): string => readFileSync(path.join(place, file), "utf8")
  return { place, text, json: (file: string) => JSON.parse(text(file)) }
}

test("a package for browsers has its files, its entry points, and a line in every place that lists packages", (context) => {
  const { json, place, text } = copy(context)
  const { written } = makePackage(place, "spare-parts", "Measures names.", true)
  const made = globSync("packages/spare-parts/**/*.*", { cwd: place })
  expect(made.toSorted()).toEqual([
    "packages/spare-parts/README.md",
    "packages/spare-parts/package.json",
    "packages/spare-parts/src/SpareParts.ts",
    "packages/spare-parts/src/SparePartsError.ts",
    "packages/spare-parts/src/index.ts",
    "packages/spare-parts/test/SpareParts.test.ts",
    "packages/spare-parts/test/exports.test.ts",
    "packages/spare-parts/tsconfig.json",
    "packages/spare-parts/turbo.json"
  ])
  for (const file of made) expect(text(file)).not.toMatch(/__[A-Za-z]+__/u)
  expect(json("packages/spare-parts/package.json")).toMatchObject({
    name: "@plumbline/spare-parts",
    version: versionOf(),
    description: "Measures names.",
    exports: { "./SpareParts": "./src/SpareParts.ts", "./SparePartsError": "./src/SparePartsError.ts" }
  })

  const referenced = (file: string): ReadonlyArray<string> =>
    json(file).references.map((reference: { readonly path: string }) => reference.path)
  for (const file of ["tsconfig.json", "tsconfig.tests.json"]) {
    const paths = referenced(file)
    expect(paths.indexOf("packages/spare-parts")).toBe(paths.indexOf("apps/plumbline") - 1)
  }
  const { tags } = json("turbo.json").boundaries
  expect(tags["layer:spare-parts"]).toEqual({ dependencies: { allow: [] } })
  expect(tags["layer:app"].dependencies.allow).toContain("layer:spare-parts")
  expect(tags["layer:tools"].dependencies.allow).toContain("layer:spare-parts")
  expect(json(".changeset/config.json").fixed[0]).toContain("@plumbline/spare-parts")
  expect(text(".changeset/spare-parts.md")).toContain(`"@plumbline/spare-parts": minor`)
  expect(text("docs/start.md")).toMatch(/^\| `@plumbline\/spare-parts` \| Measures names \| browsers and Node \|$/mu)
  expect(text("scripts/workspace.ts")).toMatch(/,\n {2}"@plumbline\/spare-parts"\n\]\)/u)
  expect(text(".oxlintrc.json")).toMatch(/,spare-parts\}\/src/u)
  expect(json("lab/browser/package.json").devDependencies["@plumbline/spare-parts"]).toBe("workspace:^")
  expect(text("lab/browser/src/main.ts")).toMatch(/,\n {2}"spare-parts"\n\]/u)
  expect(written).toContain("lab/browser/src/smoke/spare-parts.ts")
})

test("a package that needs Node has its types, and stays out of the lists of browsers", (context) => {
  const { json, place, text } = copy(context)
  const { written } = makePackage(place, "archive", "Keeps blocks.", false)
  expect(json("packages/archive/tsconfig.json").compilerOptions).toEqual({ types: ["node"] })
  expect(text("scripts/workspace.ts")).not.toContain("archive")
  expect(written.filter((file) => file.startsWith("lab/"))).toEqual([])
})

test("nothing is written over, and a place that has changed is an error", (context) => {
  const { place } = copy(context)
  expect(() => makePackage(place, "Archive", "", false)).toThrow("lower case")
  makePackage(place, "archive", "Keeps blocks.", false)
  expect(() => makePackage(place, "archive", "Keeps blocks.", false)).toThrow("packages/archive exists")
  writeFileSync(path.join(place, "docs/start.md"), "no table\n")
  expect(() => makePackage(place, "other", "Others.", false)).toThrow("docs/start.md has no")
})

test("a method has a model, a table, a place in the client, and a line wherever all methods are listed", (context) => {
  const { place, text } = copy(context)
  const { written } = makeMethod(place, "eth_newThing")
  const one = (end: string): string => {
    const found = written.filter((file) => file.endsWith(end))
    expect(found).toHaveLength(1)
    return text(found[0]!)
  }
  expect(one("/NewThing.ts")).toContain("export const NewThing = newThing.schema")
  expect(one("/newThingMethods.ts")).toContain(`EthMethod.make("eth_newThing"`)
  expect(one("/NewThing.test.ts")).not.toMatch(/__[A-Za-z]+__/u)
  expect(one("/EthMethods.ts")).toMatch(/,\n {2}NewThingMethods\.eth_newThing\n\)/u)
  expect(one("/EthClient.ts")).toContain("  readonly newThing: EthRead<NewThing.NewThing, E>\n")
  expect(one("/exports.test.ts")).toContain("eth_maxPriorityFeePerGas eth_newThing eth_sendRawTransaction")
  for (const end of ["/EthClient.test.ts", "/EthMethods.test.ts", "/exchanges.ts", "/eth-new-thing.md"])
    expect(one(end)).toContain("eth_newThing")
  expect(() => makeMethod(place, "newThing")).toThrow("must be like eth_newThing")
})

test("a command has a folder of its own, and is one of the app's", (context) => {
  const { place, text } = copy(context)
  const { written } = makeCommand(place, "text-size")
  const folder = "apps/plumbline/src/text-size"
  expect(written.filter((file) => file.startsWith(folder))).toEqual([
    `${folder}/TextSize.ts`,
    `${folder}/TextSizeCommand.ts`,
    `${folder}/TextSizeView.ts`
  ])
  for (const file of written.slice(0, 4)) expect(text(file)).not.toMatch(/__[A-Za-z]+__/u)
  const registered = written.find((file) => text(file).includes("as const") && file.startsWith("apps/plumbline/src"))
  const loader = 'async () => (await import("./text-size/TextSizeCommand.ts")).textSize'
  expect(text(registered!)).toContain(`,\n  "text-size": ${loader}\n} as const`)
  expect(text("apps/plumbline/README.md")).toMatch(/^\| `plumbline text-size <text>` \| measures a text \|$/mu)
  expect(text("docs/reference/commands.md")).toMatch(/^## `plumbline text-size <text>`\n\nMeasures a text\.\n\n## /mu)
})
