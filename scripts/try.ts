/**
 * Checks one package: types, lint, format and tests. It builds only those other packages that this package needs.
 * Prints the time of each step.
 *
 *     pnpm try codec              a package by its folder, or by its name
 *     pnpm try plumbline Units    only the test files whose path has this word
 *     pnpm try gateway --all      all tests, even if files of the package differ from the last commit
 *
 * If files of the package differ from the last commit, only the tests that import changed files run; if sources changed
 * and no test imports them, as when tests start them in a process, all tests run. The rules of lint that need types are
 * left out, because they cost more than all other rules together; `pnpm lint` and CI have them.
 */
import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

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

/**
 * Returns the arguments that select the tests: those of changed files, unless `--all` or a word selects others, or
 * sources changed that no test imports. `changes` is the package's status in git, and `listed` returns the test files
 * that import changed files; both are empty if there are none.
 */
export const selected = (rest: ReadonlyArray<string>, changes: string, listed: () => string): ReadonlyArray<string> => {
  if (rest.includes("--all")) return rest.filter((arg) => arg !== "--all")
  if (rest.length > 0 || changes === "") return rest
  return changes.includes("/src/") && listed() === "" ? [] : ["--changed"]
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
  const tests = selected(rest, said("git", "status", "--porcelain", "--", dir), () =>
    said(bin("vitest"), "list", "--filesOnly", "--changed", ...project)
  )
  const steps: ReadonlyArray<readonly [step: string, command: string, args: ReadonlyArray<string>]> = [
    ["types", "tsc", ["-b", testsConfig(all, member)]],
    ["lint", "oxlint", ["-c", lintConfig(), dir]],
    ["format", "oxfmt", ["--check", dir]],
    ["tests", "vitest", ["run", ...project, ...tests]]
  ]
  const times: Array<string> = []
  let failed = 0
  const begun = performance.now()
  for (const [step, command, args] of steps) {
    const started = performance.now()
    const { status } = spawnSync(bin(command), args, { cwd: root, stdio: "inherit" })
    if (status !== 0) failed++
    times.push(
      `${status === 0 ? "ok  " : "FAIL"}  ${step.padEnd(6)}  ${((performance.now() - started) / 1000).toFixed(1)} s`
    )
  }
  console.log([...times, `${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s, ${failed} failed`].join("\n"))
  process.exitCode = failed > 0 ? 1 : 0
}
