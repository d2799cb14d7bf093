/**
 * Runs every check that a change must pass. Each step is a script of `package.json`. After a failed step, the others
 * still run, so that one run shows every failure.
 *
 * The last line is `N passed, N failed`. It counts each test, and every other step as one.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import * as path from "node:path"

import { failures, passedIn, type Report, tally } from "./tally.ts"
import { root } from "./workspace.ts"

/** The report that vitest writes when CI=true, as `vitest.config.ts` configures it. */
const reportFile = path.join(root, "node_modules/.cache/vitest.json")
const shared = path.resolve(root, "../shared/fixtures")

const steps: ReadonlyArray<readonly [script: string, what: string]> = [
  ["lint:code", "oxlint"],
  ["lint:layers", "packages import along the arrows only"],
  ["lint:unused", "nothing is unused or undeclared"],
  ["format:check", "formatting"],
  ["check:boundaries", "the rules about imports refuse what they should"],
  ["check:structure", "rooms, arrows, prefixes and the comments of modules"],
  ["check:prose", "no package has more hard sentences than before"],
  ["exports", "the manifests list the public modules"],
  ["settings", "the tables of settings say what the Schemas say"],
  ["identity", "the manifests say who publishes them"],
  ["build", "the packages build"],
  ["check:doors", "public modules can be imported, and nothing else"],
  ["check:release", "the tarballs hold what they should"],
  ["check:consumers", "programs on the packages keep their types when they emit declarations"],
  ["size", "no import has grown"],
  ["environments:fast", "the packages run in the environments of users, the fast half"],
  ["rehearse", "a release installs and runs"],
  ["browser", "the client packages run in a browser's realm"],
  ["docs", "the documentation site, without a warning or a broken link"]
]

interface Outcome {
  readonly what: string
  readonly passed: number
  readonly failed: number
  readonly note: string
  /** The names of the failed tests. */
  readonly failures?: ReadonlyArray<string>
}

/** Runs a script without input, and passes its output through. */
const run = (script: string): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn("npx", ["--yes", "pnpm", "run", script], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      // heavy tests run at their full size
      env: { ...process.env, CI: "true", FORCE_COLOR: "0", PLUMBLINE_SHARE: process.env["PLUMBLINE_SHARE"] ?? "1" }
    })
    child.once("error", (error) => {
      console.error(String(error))
      resolve(1)
    })
    child.once("close", (code) => resolve(code ?? 1))
  })

const timed = async (script: string): Promise<{ readonly code: number; readonly seconds: string }> => {
  console.log(`\n=== ${script}`)
  const started = performance.now()
  const code = await run(script)
  return { code, seconds: `${((performance.now() - started) / 1000).toFixed(1)} s` }
}

const readReport = (): Report | undefined =>
  existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, "utf8")) : undefined

/** Runs the tests as a fresh clone does, and reports whether the tests on real data were among them. */
const test = async (): Promise<ReadonlyArray<Outcome>> => {
  rmSync(reportFile, { force: true })
  const { code, seconds } = await timed("test")
  const report = readReport()
  const { failed, passed, skipped } = tally(report, code)
  const conformance = passedIn(report, "tools/conformance")
  const real = existsSync(shared) && conformance > 0
  return [
    {
      what: "test: types and tests",
      passed,
      failed,
      note: `${seconds}, ${skipped} skipped`,
      failures: failures(report).map((failure) => failure.replace(`${root}/`, ""))
    },
    {
      what: "conformance: the tests on real data ran",
      passed: real ? 1 : 0,
      failed: real ? 0 : 1,
      note: existsSync(shared) ? `${conformance} passed` : `${shared} is missing`
    }
  ]
}

/** Returns git's status of the working tree, line by line, or `undefined` without git or a repository. */
const status = (): ReadonlyArray<string> | undefined => {
  const { status: code, stdout } = spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" })
  return code === 0 ? stdout.split("\n") : undefined
}

const before = status()
const outcomes: Array<Outcome> = [...(await test())]
for (const [script, what] of steps) {
  const { code, seconds } = await timed(script)
  const passed = code === 0 ? 1 : 0
  outcomes.push({ what: `${script}: ${what}`, passed, failed: 1 - passed, note: seconds })
}
if (before !== undefined) {
  const after = status() ?? []
  const changes = [...after.filter((line) => !before.includes(line)), ...before.filter((line) => !after.includes(line))]
  const passed = changes.length === 0 ? 1 : 0
  outcomes.push({
    what: "the steps left the working tree as it was",
    passed,
    failed: 1 - passed,
    note: changes.join(", ")
  })
}

console.log("\n=== summary")
for (const { failed, failures: named = [], note, passed, what } of outcomes) {
  const counts = passed + failed === 1 ? "" : `: ${passed} passed, ${failed} failed`
  console.log(`${failed > 0 ? "FAIL" : "ok  "}  ${what}${counts}${note === "" ? "" : ` (${note})`}`)
  for (const failure of named) console.log(`        ${failure}`)
}
const sum = (part: "passed" | "failed"): number => outcomes.reduce((total, outcome) => total + outcome[part], 0)
process.exitCode = sum("failed") > 0 ? 1 : 0
console.log(`${sum("passed")} passed, ${sum("failed")} failed`)
