/**
 * Checks one package: types, lint, format and tests, in less than half a minute of processor time. It builds only those
 * other packages that this package needs. Prints the time of each step, and what it left to CI.
 *
 *     pnpm try codec              a package by its folder, or by its name
 *     pnpm try plumbline Units    only the test files whose path has this word
 *     pnpm try gateway --all      all tests except *.heavy.test.ts
 *
 * The test files nearest to the change run: those that import a changed file, then those that import its importers, and
 * so on, until they would take more than the budget by the processor time that each took last. The change is what
 * differs from the last commit, or else that commit. Random tests run at a fifth of the size that `pnpm test` gives them.
 * The rules of lint that need types are left out, because they cost more than all other rules together; `pnpm lint` and
 * CI have them.
 */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { specifiersOf } from "./check-structure.ts"
import * as Children from "./children.ts"
import { root } from "./workspace.ts"

/** A package, app or tool of the workspace. */
export interface Member {
  readonly name: string
  /** The folder, relative to the root. */
  readonly dir: string
  /** The names of the members that its sources or tests import. */
  readonly needs: ReadonlyArray<string>
  /** True if `pnpm lab test` runs its tests, and not `pnpm test`. */
  readonly isLab: boolean
}

/** The members below `from`. */
export const members = (from: string): ReadonlyArray<Member> =>
  globSync("{packages,apps,tools,lab}/*/package.json", { cwd: from })
    .sort()
    .map((file) => {
      const {
        dependencies = {},
        devDependencies = {},
        name,
        scripts
      } = JSON.parse(readFileSync(path.join(from, file), "utf8"))
      const needs = Object.keys({ ...dependencies, ...devDependencies })
      return {
        name,
        dir: path.dirname(file),
        needs: needs.filter((need) => need.startsWith("@plumbline/")),
        isLab: scripts?.test?.includes("--config ../vitest.config.ts") ?? false
      }
    })

/** Returns the member with this name, with this name without the scope, or with this folder. */
export const find = (all: ReadonlyArray<Member>, called: string): Member | undefined =>
  all.find(({ dir, name }) =>
    [name, name.replace(/^@[^/]+\//u, ""), dir, path.basename(dir)].includes(called.replace(/\/$/u, ""))
  )

/**
 * Writes the configuration that checks the tests of one package, and returns its path. `tsconfig.tests.json` checks the
 * tests of all packages together, which takes as long as building them.
 */
const testsConfig = (all: ReadonlyArray<Member>, { dir, name, needs }: Member): string => {
  const folder = path.join("node_modules/.cache/try", dir)
  const up = path.relative(path.join(root, folder), root)
  const shared = JSON.parse(readFileSync(path.join(root, "tsconfig.tests.json"), "utf8"))
  const own = (pattern: string): boolean => pattern.startsWith(`${dir.split("/")[0]}/*/`)
  const include: ReadonlyArray<string> = shared.include
    .filter(own)
    .map((pattern: string) => pattern.replace("*", path.basename(dir)))
  const built = new Set(all.filter((each) => each.name === name || needs.includes(each.name)).map((each) => each.dir))
  const config = {
    extends: `${up}/tsconfig.tests.json`,
    include: include.map((pattern) => `${up}/${pattern}`),
    references: shared.references
      .filter((reference: { readonly path: string }) => built.has(reference.path))
      .map((reference: { readonly path: string }) => ({ path: `${up}/${reference.path}` })),
    // not composite, because a tool's tests may import another tool's sources
    compilerOptions: { composite: false, tsBuildInfoFile: "./tests.tsbuildinfo" }
  }
  mkdirSync(path.join(root, folder), { recursive: true })
  const file = path.join(folder, "tsconfig.json")
  writeFileSync(path.join(root, file), JSON.stringify(config))
  return file
}

/**
 * Writes the linter's configuration without the rules that need types, and returns its path. Its patterns begin with
 * two asterisks, because those of the linter are relative to the folder of its configuration.
 */
export const lintConfig = (): string => {
  const { options, overrides, ...rest } = JSON.parse(readFileSync(path.join(root, ".oxlintrc.json"), "utf8"))
  const anywhere = (files: ReadonlyArray<string>) => files.map((file) => (file.startsWith("**/") ? file : `**/${file}`))
  const config = {
    ...rest,
    // a directive against a rule that needs types is unused here
    options: { ...options, typeAware: false, reportUnusedDisableDirectives: "off" },
    overrides: overrides.map(({ excludeFiles = [], files, ...override }: Record<string, ReadonlyArray<string>>) => ({
      ...override,
      files: anywhere(files!),
      excludeFiles: anywhere(excludeFiles)
    }))
  }
  const file = path.join(root, "node_modules/.cache/try/oxlint.json")
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(config))
  return file
}

/** The processor time that the selected tests may take, in seconds. The other steps take some twenty seconds. */
const BUDGET = 7

/** Seconds that a test file counts for that has not run yet. */
const UNKNOWN = 1

/** The import of an index names the modules that a test uses: `import { Rlp } from "@plumbline/codec"`. */
const NAMED = /import (?:type )?\{([^}]*)\} from "([^"]+)"/gu

/** Returns for each source and test file of a package the files of the package that it imports. */
export const importsOf = ({ dir, name }: Pick<Member, "dir" | "name">): ReadonlyMap<string, ReadonlySet<string>> => {
  const files = globSync(["src/**/*.{ts,tsx}", "test/**/*.{ts,tsx}"], { cwd: path.join(root, dir) })
  const known = new Set(files)
  const named = new Map(files.map((file) => [path.basename(file).replace(/\.tsx?$/u, ""), file]))
  return new Map(
    files.map((file) => {
      const text = readFileSync(path.join(root, dir, file), "utf8")
      const found = new Set<string>()
      for (const [, names, from] of text.matchAll(NAMED)) {
        if (from !== name && !from!.endsWith("src/index.ts")) continue
        for (const each of names!.split(",")) found.add(named.get(each.trim().replace(/^type /u, "")) ?? "")
      }
      for (const specifier of specifiersOf(file, text)) {
        if (specifier.startsWith(`${name}/`)) found.add(`src/${specifier.slice(name.length + 1)}.ts`)
        if (!specifier.startsWith(".")) continue
        const imported = path.posix.join(path.posix.dirname(file), specifier)
        // a test's import of the index counts by its names
        if (imported !== "src/index.ts") found.add(imported)
      }
      return [file, new Set([...found].filter((each) => known.has(each)))]
    })
  )
}

/** Orders test files by the number of imports to a changed file; of files at the same distance the cheapest first. */
export const nearest = (
  tests: ReadonlyArray<string>,
  imports: ReadonlyMap<string, ReadonlySet<string>>,
  changed: ReadonlyArray<string>,
  costOf: (test: string) => number
): ReadonlyArray<string> => {
  const distances = new Map(changed.map((file) => [file, 0]))
  for (let distance = 1, isMore = true; isMore; distance++) {
    isMore = false
    for (const [file, imported] of imports) {
      if (distances.has(file) || ![...imported].some((each) => distances.get(each) === distance - 1)) continue
      distances.set(file, distance)
      isMore = true
    }
  }
  const far = (test: string): number => distances.get(test) ?? imports.size
  return [...tests].sort((a, b) => far(a) - far(b) || costOf(a) - costOf(b))
}

/** Returns the first test files that together stay within the budget, at least one. */
export const within = (
  tests: ReadonlyArray<string>,
  costOf: (test: string) => number,
  budget: number
): ReadonlyArray<string> => {
  let spent = 0
  return tests.filter((test, index) => (spent += costOf(test)) <= budget || index === 0)
}

/** The processor seconds of a test file when it last ran, as `vitest.setup.ts` measured them. */
const lastCost = (dir: string, test: string): number => {
  const file = path.join(root, "node_modules/.cache/costs", dir, test)
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : UNKNOWN
}

if (import.meta.main) {
  const [called, ...rest] = process.argv.slice(2)
  const all = members(root)
  const member = called === undefined ? undefined : find(all, called)
  if (member === undefined) {
    const names = all.map(({ dir }) => path.basename(dir)).join(", ")
    console.error(`${called === undefined ? "no package given" : `no package ${called}`}. Name one of ${names}.`)
    process.exit(2)
  }
  const { dir, isLab, name } = member
  const said = (command: string, ...args: ReadonlyArray<string>): string =>
    spawnSync(command, args, { cwd: root, encoding: "utf8" }).stdout.trim()
  const bin = (command: string): string => path.join(root, "node_modules/.bin", command)
  const project = [...(isLab ? ["--config", "lab/vitest.config.ts"] : []), "--project", name]
  const status = said("git", "status", "--porcelain", "--untracked-files=all", "--no-renames", "--", dir)
  const changed =
    status === "" ? said("git", "log", "-1", "--format=", "--name-only", "--", dir) : status.replaceAll(/^.. ?/gmu, "")
  const costOf = (test: string): number => lastCost(dir, test)
  const files = globSync("test/**/*.test.ts", { cwd: path.join(root, dir) }).filter((file) => !file.includes(".heavy."))
  const inOrder = nearest(
    files,
    importsOf(member),
    changed.split("\n").map((file) => path.posix.relative(dir, file)),
    costOf
  )
  const selected = rest.length > 0 ? inOrder : within(inOrder, costOf, BUDGET)
  const tests = rest.length > 0 ? rest.filter((arg) => arg !== "--all") : selected.map((file) => path.join(dir, file))
  const steps: ReadonlyArray<readonly [step: string, command: string, args: ReadonlyArray<string>]> = [
    ["types", "tsc", ["-b", testsConfig(all, member)]],
    ["lint", "oxlint", ["-c", lintConfig(), dir]],
    ["format", "oxfmt", ["--check", dir]],
    ["tests", "vitest", ["run", ...project, ...tests]]
  ]
  process.env["PLUMBLINE_SHARE"] ??= "0.02"
  const times: Array<string> = []
  let failed = 0
  const begun = performance.now()
  for (const [step, command, args] of steps) {
    const started = performance.now()
    const status = await Children.run(bin(command), args, { cwd: root }).catch((error: Error) => {
      console.error(error.message)
      return 1
    })
    if (status !== 0) failed++
    times.push(
      `${status === 0 ? "ok  " : "FAIL"}  ${step.padEnd(6)}  ${((performance.now() - started) / 1000).toFixed(1)} s`
    )
  }
  const left = files.length - selected.length
  if (left > 0)
    times.push(`left to CI: ${left} of ${files.length} test files, farther from the change; --all runs them`)
  console.log([...times, `${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s, ${failed} failed`].join("\n"))
  process.exitCode = failed > 0 ? 1 : 0
}
