/**
 * Runs every check that a change must pass. Each step is a script of `package.json`. After a failed step, the others
 * still run, so that one run shows every failure. The tests run alone; the other steps run two at a time, and each
 * prints what it said when it ends.
 *
 * The last line is `N passed, N failed`. It counts each test, and every other step as one.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { TARBALLS } from "./pack.ts"
import { failures, passedIn, type Report, tally } from "./tally.ts"
import { root } from "./workspace.ts"

/** The report that vitest writes when CI=true, as `vitest.shared.ts` configures it. */
const reportFile = path.join(root, "node_modules/.cache/vitest.json")
const shared = path.resolve(root, "../shared/fixtures")

type Step = readonly [script: string, what: string]

/** The steps that read sources only, and the build. */
const sources: ReadonlyArray<Step> = [
  ["build", "the packages build"],
  ["lint:code", "oxlint"],
  ["lint:layers", "packages import along the arrows only"],
  ["lint:unused", "nothing is unused or undeclared"],
  ["format:check", "formatting"],
  ["check:boundaries", "the rules about imports refuse what they should"],
  ["check:structure", "imports between folders point one way"],
  ["exports", "the manifests list the public modules"],
  ["settings", "the reference of settings and flags says what the code says"],
  ["identity", "the manifests say who publishes them"]
]

/** The steps that read what the build wrote, the longest first. */
const products: ReadonlyArray<Step> = [
  ["rehearse", "a release installs and runs"],
  ["environments:fast", "the packages run in the environments of users, the fast half"],
  ["docs", "the documentation site, without a warning or a broken link"],
  ["check:release", "the tarballs hold what they should"],
  ["check:consumers", "programs on the packages keep their types when they emit declarations"],
  ["lab browser", "the client packages run in a browser's realm"],
  ["check:entry-points", "public modules can be imported, and nothing else"],
  ["size", "no import has grown"]
]

interface Outcome {
  readonly what: string
  readonly passed: number
  readonly failed: number
  readonly note: string
  /** The names of the failed tests. */
  readonly failures?: ReadonlyArray<string>
}

/** Runs a script, with its arguments, without input. Passes each piece of its output to `write`. */
const run = (script: string, write: (piece: string) => void): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn("npx", ["--yes", "pnpm", "run", ...script.split(" ")], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      // heavy tests run at their full size
      env: { ...process.env, CI: "true", FORCE_COLOR: "0", PLUMBLINE_SHARE: process.env["PLUMBLINE_SHARE"] ?? "1" }
    })
    child.stdout.setEncoding("utf8").on("data", write)
    child.stderr.setEncoding("utf8").on("data", write)
    child.once("error", (error) => {
      write(`${String(error)}\n`)
      resolve(1)
    })
    child.once("close", (code) => resolve(code ?? 1))
  })

const timed = async (
  script: string,
  write: (piece: string) => void
): Promise<{ readonly code: number; readonly seconds: string }> => {
  write(`\n=== ${script}\n`)
  const started = performance.now()
  const code = await run(script, write)
  return { code, seconds: `${((performance.now() - started) / 1000).toFixed(1)} s` }
}

/** Runs steps two at a time, which is one for each core that `.ci/run` counts on. */
const inPairs = async (steps: ReadonlyArray<Step>): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  const left = steps.entries()
  const work = async (): Promise<void> => {
    for (const [index, [script, what]] of left) {
      const pieces: Array<string> = []
      const { code, seconds } = await timed(script, (piece) => pieces.push(piece))
      process.stdout.write(pieces.join(""))
      const passed = code === 0 ? 1 : 0
      outcomes[index] = { what: `${script}: ${what}`, passed, failed: 1 - passed, note: seconds }
    }
  }
  await Promise.all([work(), work()])
  return outcomes
}

const readReport = (): Report | undefined =>
  existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, "utf8")) : undefined

/** Runs a script that runs tests, and counts them. */
const test = async (script: string, what: string) => {
  rmSync(reportFile, { force: true })
  const { code, seconds } = await timed(script, (piece) => process.stdout.write(piece))
  const report = readReport()
  const { failed, passed, skipped } = tally(report, code)
  const outcome: Outcome = {
    what: `${script}: ${what}`,
    passed,
    failed,
    note: `${seconds}, ${skipped} skipped`,
    failures: failures(report).map((failure) => failure.replace(`${root}/`, ""))
  }
  return { outcome, report }
}

/** Runs all tests, and reports whether those on real data were among them. */
const tests = async (): Promise<ReadonlyArray<Outcome>> => {
  // first, because it compiles what the others need, as in a fresh clone
  const product = await test("test", "types and tests")
  const laboratory = await test("lab test", "lies, faults, peers and counts")
  const conformance = passedIn(product.report, "lab/conformance")
  const real = existsSync(shared) && conformance > 0
  return [
    product.outcome,
    laboratory.outcome,
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
const outcomes: Array<Outcome> = [...(await tests()), ...(await inPairs(sources))]
// four of the steps pack the same packages
const tarballs = mkdtempSync(path.join(tmpdir(), "plumbline-tarballs-"))
process.env[TARBALLS] = tarballs
outcomes.push(...(await inPairs(products)))
rmSync(tarballs, { recursive: true, force: true })
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
