import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test, type TestContext } from "vitest"

import { check, read, sourceFolders, specifiersOf, summary } from "../check-structure.ts"
import { root } from "../workspace.ts"

/** Writes a package of files. */
const tree = ({ onTestFinished }: TestContext, files: Readonly<Record<string, string>>, name = "x") => {
  const root = mkdtempSync(path.join(tmpdir(), "plumbline-structure-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  write(`packages/${name}/package.json`, `{ "name": "${name}" }`)
  for (const [file, text] of Object.entries(files)) write(`packages/${name}/src/${file}`, `${text}\n`)
  return check(read(root, `packages/${name}/src`))
}

test("every way to name another file is seen", () => {
  const text = `
    import "./a.ts"
    import type { B } from "./b.ts"
    import { type C } from "./c.ts"
    export * as D from "./d.ts"
    export type * from "./e.ts"
    export { f } from "./f.ts"
    type G = import("./g.ts").G
    const h = await import("./h.ts")
    // import "./not.ts"
    const text = 'import "./neither.ts"'
  `
  expect([...specifiersOf("x.ts", text)].sort()).toEqual(
    ["a", "b", "c", "d", "e", "f", "g", "h"].map((n) => `./${n}.ts`)
  )
})

test("a file that does not parse is an error, not an empty file", () => {
  expect(() => specifiersOf("x.ts", "import {")).toThrow("x.ts")
})

test("a sound tree has no fault", (context) => {
  const { faults, figures } = tree(context, {
    "index.ts": `export * as Gateway from "./Gateway.ts"\nexport * as Card from "./cards/Card.ts"`,
    "Gateway.ts": `import "./cards/Card.ts"\nimport "./http/Server.ts"\nimport "./Word.ts"`,
    "Word.ts": "",
    "cards/Card.ts": `import type {} from "./rows.ts"`,
    "cards/rows.ts": `import "../Word.ts"`,
    "http/Server.ts": `import "../cards/Card.ts"`
  })
  expect(faults).toEqual([])
  expect(figures).toMatchObject({ files: 6, roomArrows: 1, roomTwoWay: 0, circles: 0 })
  expect([...figures.rooms]).toEqual([
    [".", 3],
    ["cards", 2],
    ["http", 1]
  ])
})

test("a circle through a type is found, and named with its files", (context) => {
  const { faults, figures } = tree(context, {
    "A.ts": `import "./b.ts"`,
    "b.ts": `import type { A } from "./A.ts"`,
    "C.ts": `import "./A.ts"`
  })
  expect(faults).toEqual(["packages/x/src: circle: A.ts -> b.ts -> A.ts"])
  expect(figures.circles).toBe(1)
})

test("a circle of three files and one of two that share a file are one group", (context) => {
  const { faults, figures } = tree(context, {
    "a.ts": `import "./b.ts"`,
    "b.ts": `import "./c.ts"`,
    "c.ts": `import "./a.ts"\nimport "./b.ts"`
  })
  expect(faults).toEqual(["packages/x/src: circle: a.ts -> b.ts -> c.ts -> a.ts; b.ts -> c.ts -> b.ts"])
  expect(figures.circles).toBe(1)
})

test("rooms with arrows both ways are found, without any circle of files", (context) => {
  const { faults, figures } = tree(context, {
    "one/a.ts": `import type {} from "../two/a.ts"`,
    "one/b.ts": "",
    "two/a.ts": "",
    "two/b.ts": `import "../one/b.ts"`
  })
  expect(faults).toEqual([
    "packages/x/src: arrows in a circle: one/ -> two/ -> one/ (one/a.ts imports two/a.ts; two/b.ts imports one/b.ts)"
  ])
  expect(figures).toMatchObject({ arrows: 2, twoWay: 2, roomArrows: 2, roomTwoWay: 2, circles: 0 })
})

test("a circle of three rooms is found, and rooms in rooms are looked at too", (context) => {
  const { faults } = tree(context, {
    "in/one/a.ts": `import "../two/a.ts"`,
    "in/one/b.ts": "",
    "in/two/a.ts": "",
    "in/two/b.ts": `import "../three/a.ts"`,
    "in/three/a.ts": "",
    "in/three/b.ts": `import "../one/b.ts"`
  })
  expect(faults).toHaveLength(1)
  expect(faults[0]).toContain("in/one/ -> in/two/ -> in/three/ -> in/one/")
})

test("a room may import a plain file of the root, and not one that composes rooms", (context) => {
  const { faults } = tree(context, {
    "Word.ts": "",
    "Gateway.ts": `import "./Part.ts"`,
    "Part.ts": `import "./cards/Card.ts"`,
    "cards/Card.ts": "",
    "http/server.ts": `import type {} from "../Gateway.ts"\nimport "../Word.ts"`
  })
  expect(faults).toEqual([
    "packages/x/src: a room imports a file that composes rooms: http/ -> Gateway.ts (http/server.ts imports Gateway.ts)"
  ])
})

test("a folder internal belongs to the room around it", (context) => {
  const { faults } = tree(context, {
    "Hex.ts": `import "./internal/digits.ts"`,
    "HexError.ts": "",
    "internal/digits.ts": `import "../HexError.ts"`
  })
  expect(faults).toEqual([])
})

test("the figures are one row for each package, and their sum", () => {
  const figures = {
    files: 3,
    rooms: new Map([
      [".", 1],
      ["a", 2]
    ]),
    imports: 4,
    arrows: 2,
    twoWay: 0,
    roomArrows: 1,
    roomTwoWay: 0,
    circles: 1
  }
  const lines = summary([
    { folder: "packages/x/src", ...figures },
    { folder: "apps/y/src", ...figures }
  ])
  expect(lines.find((line) => line.startsWith("all"))?.split(/ +/u)).toEqual([
    "all",
    "6",
    "4",
    "2",
    "8",
    "4",
    "0",
    "2",
    "0",
    "2"
  ])
  expect(lines).toContain("packages/x: src 1, a 2")
})

test("the repository's packages and apps are all looked at", () => {
  const root = path.resolve(import.meta.dirname, "../..")
  expect(sourceFolders(root)).toContain("packages/codec/src")
  expect(sourceFolders(root)).toContain("apps/plumbline/src")
})

test("the page of decisions lists each folder of the gateway, above all folders that it imports", () => {
  const page = readFileSync(path.join(root, "docs/decisions/workspace.md"), "utf8")
  const [, table = ""] = /\n\| level of the gateway [^\n]*\n(.*?)\n\n/su.exec(page) ?? []
  const levels = new Map(
    [...table.matchAll(/^\| (\d+) +\|(.+)\|$/gmu)].flatMap(([, level, folders]) =>
      [...folders!.matchAll(/`(\w+)`/gu)].map(([, folder]) => [folder!, Number(level)] as const)
    )
  )
  const { files } = read(root, "packages/gateway/src")
  const folders = [...files.keys()].filter((file) => file.includes("/")).map((file) => file.split("/")[0]!)
  expect([...levels.keys()].toSorted()).toEqual([...new Set(folders)].toSorted())
  const levelOf = (file: string): number => levels.get(file.split("/")[0]!) ?? Infinity
  const upwards = [...files].flatMap(([file, imports]) =>
    [...imports]
      .filter((each) => path.dirname(file) !== "." && each.split("/")[0] !== file.split("/")[0])
      .filter((each) => levelOf(each) >= levelOf(file))
      .map((each) => `${file} imports ${each}`)
  )
  expect(upwards).toEqual([])
})
