/**
 * Finds code fences in the documentation that are not checked. A TypeScript fence must run, or be a program of
 * `examples/`. A shell fence is compared with the help of the command. JSON and YAML are parsed.
 */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, test } from "vitest"

import { docOf } from "../../apps/plumbline/scripts/bundle/manual.ts"
import { type Fence, fences } from "./plugin.ts"
import { commandsOf, faultsOf, type Known } from "./shell.ts"

const root = path.resolve(import.meta.dirname, "../..")
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")
const manifest: { readonly scripts: object } = JSON.parse(read("package.json"))

const helps = new Map<string, ReturnType<typeof docOf>>()
const known: Known = {
  helpOf: (path) => {
    const name = path.join(" ")
    const help = helps.get(name) ?? docOf(path)
    helps.set(name, help)
    return help
  },
  scripts: new Set(Object.keys(manifest.scripts))
}

/** The command's own reader of YAML. */
const yaml: { readonly parse: (text: string) => unknown } = createRequire(
  path.join(root, "apps/plumbline/package.json")
)("yaml")

/** Returns the faults that `plumbline config check` finds in a complete configuration. Its variables are set. */
const configFaults = (code: string): ReadonlyArray<string> => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-config-"))
  const file = path.join(folder, "plumbline.yaml")
  writeFileSync(file, code)
  const variables = Object.fromEntries([...code.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name, "x"]))
  try {
    execFileSync(process.execPath, [path.join(root, "apps/plumbline/src/main.ts"), "config", "check", file], {
      env: { ...process.env, ...variables },
      stdio: "pipe",
      encoding: "utf8"
    })
    return []
  } catch (error) {
    return [(error as { readonly stderr: string }).stderr]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the faults of a fence, or the reason why it is not checked. */
const faults = async (page: string, { code, info }: Fence): Promise<ReadonlyArray<string>> => {
  const [language, mark] = info.split(" ", 2)
  switch (language) {
    case "ts":
      if (mark === "import.meta.vitest") return []
      if (mark === undefined) return ["nothing runs it: mark it `import.meta.vitest`, or show a program of examples/"]
      if (!existsSync(path.join(root, mark))) return [`there is no ${mark}`]
      return code === read(mark) ? [] : [`it is not ${mark}`]
    case "sh":
      return faultsOf(code, known)
    case "json":
      JSON.parse(code.replaceAll("…", ""))
      return []
    case "yaml":
      if (page.startsWith("docs/guides/")) return configFaults(code)
      return typeof yaml.parse(code) === "object" ? [] : ["it is not an object"]
    case "":
      return []
    default:
      return [`nothing checks ${language}`]
  }
}

const pages = globSync(
  [
    "README.md",
    "docs/*.md",
    "docs/{guides,concepts,migration,reference}/*.md",
    "lab/reports/*.md",
    "{packages,apps}/*/README.md"
  ],
  { cwd: root }
).sort()

test("every guide has a fence", () => {
  for (const page of pages.filter((page) => page.startsWith("docs/guides/"))) expect(fences(read(page))).not.toEqual([])
})

test("every guide has its place in the site", () => {
  const { projectDocuments }: { readonly projectDocuments: ReadonlyArray<string> } = JSON.parse(
    read("tools/docs/typedoc.json")
  )
  const guides = pages.filter((page) => /^docs\/(?:guides|concepts|migration)\//.test(page))
  expect(guides.filter((page) => !projectDocuments.includes(`../../${page}`))).toEqual([])
})

test("every program of examples/ is shown in a page", () => {
  const shown = new Set(pages.flatMap((page) => fences(read(page)).map(({ info }) => info)))
  const programs = globSync("examples/*.ts", { cwd: root })
  expect(programs.filter((program) => !shown.has(`ts ${program}`))).toEqual([])
})

for (const page of pages) {
  for (const fence of fences(read(page))) {
    if (fence.info === "ts import.meta.vitest") continue
    test(`${page}:${fence.line}`, async () => {
      expect(await faults(page, fence)).toEqual([])
    })
  }
}

describe("the check of shell fences", () => {
  const of = (code: string) => faultsOf(code, known)

  test("reads words, quotes, continued lines, pipes and comments", () => {
    expect(commandsOf(`A=1 plumbline block 'a b' \\\n  --json | node -e "x" # --no`)).toEqual([
      ["plumbline", "block", "a b", "--json"],
      ["node", "-e", "x"]
    ])
  })

  test("finds an unknown command, flag, argument, script and program", async () => {
    expect(await of("plumbline blok latest")).toEqual(["plumbline blok latest: there is no command blok"])
    expect(await of("plumbline block latest --ful")).toEqual(["plumbline block latest --ful: there is no flag --ful"])
    expect(await of("plumbline block")).toEqual(["plumbline block: an argument is missing"])
    expect(await of("plumbline block 1 2")).toEqual(["plumbline block 1 2: there are 2 arguments"])
    expect(await of("plumbline block latest --url")).toEqual(["plumbline block latest --url: --url has no value"])
    expect(await of("npx --yes pnpm strat")).toEqual(["npx --yes pnpm strat: pnpm knows no strat"])
    expect(await of("npx --yes pnpm start --prot=0")).toEqual([
      "npx --yes pnpm start --prot=0: there is no flag --prot"
    ])
    expect(await of("plumline block latest")).toEqual(["plumline block latest: plumline is not a known program"])
  })

  test("finds nothing in a line that is right", async () => {
    expect(await of("npx --yes pnpm --silent plumbline block latest --full --url http://127.0.0.1:8545")).toEqual([])
    expect(await of("./plumbline block latest --full")).toEqual([])
    expect(await of("plumbline keys rotate <key id> --overlap 1h")).toEqual([])
  })
})
