/**
 * Runs every check that a change must pass. Each step is a script of `package.json`. After a failed step, the others
 * still run, so that one run shows every failure. The steps that read sources only run beside the tests, at the lowest
 * priority: the tests often wait, and lose no time to them. The other steps run two at a time after the tests. Each step
 * prints what it said when it ends.
 *
 * Files in which tests fail run a second time, one after another, if they are few: on a loaded machine, a test that
 * waits for browsers and processes can meet a moment that it does not know. What passes then counts as passed, and the
 * summary names it as unsteady: its test or its subject has a fault to be repaired.
 *
 * The last line is `N passed, N failed`. It counts each test, and every other step as one.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { constants, setPriority, tmpdir } from "node:os"
import * as path from "node:path"

import * as Children from "./children.ts"
import { TARBALLS } from "./pack.ts"
import { failedFiles, failures, hasStray, passedIn, repeated, type Report, tally, unsteadyIn } from "./tally.ts"
import { root } from "./workspace.ts"

/** The report that vitest writes when CI=true, as `vitest.shared.ts` configures it. */
const reportFile = path.join(root, "node_modules/.cache/vitest.json")
const shared = path.resolve(root, "../shared/fixtures")

type Step = readonly [script: string, what: string]

/** The step before all others: it compiles what they need, as in a fresh clone. */
const types: Step = ["typecheck", "types"]

/** The steps that read sources only. None has a time limit, because they wait for the tests. */
const sources: ReadonlyArray<Step> = [
  ["lint:code", "oxlint"],
  ["lint:layers", "packages import along the arrows only"],
  ["lint:unused", "nothing is unused or undeclared"],
  ["format:check", "formatting"],
  ["check:boundaries", "the rules about imports refuse what they should"],
  ["check:structure", "imports between folders point one way"],
  ["exports", "the manifests list the public modules"],
  ["settings", "the reference of settings and flags says what the code says"],
  ["identity", "the manifests say who publishes them"],
  ["size", "no import has grown"],
  ["--filter @plumbline/docs site", "the documentation site, without a warning or a broken link"]
]

const build: Step = ["build", "the packages build"]

/** The folder into which the tarballs are packed, for the steps after it. */
const tarballs = mkdtempSync(path.join(tmpdir(), "plumbline-tarballs-"))
process.once("exit", () => rmSync(tarballs, { recursive: true, force: true }))

/** Packing, which reads what the build wrote, and the steps that need neither the build nor tarballs. */
const packing: ReadonlyArray<Step> = [
  [`pack:all ${tarballs}`, "all packages pack"],
  ["--filter @plumbline/docs pages", "the pages of the documentation, in a browser"],
  ["lab browser", "the client packages run in a browser's realm"]
]

/** The steps that read what the build wrote or the tarballs, the longest first. */
const products: ReadonlyArray<Step> = [
  ["rehearse", "a release installs and runs"],
  ["environments:fast", "the packages run in the environments of users, the fast half"],
  ["check:release", "the tarballs hold what they should"],
  ["pack:try", "the tarballs install into an empty project, and the README's program runs there"],
  ["check:consumers", "programs on the packages keep their types when they emit declarations"],
  ["check:entry-points", "public modules can be imported, and nothing else"]
]

interface Outcome {
  readonly what: string
  readonly passed: number
  readonly failed: number
  readonly note: string
  /** The names of the failed tests, and of those that passed at their second run only. */
  readonly failures?: ReadonlyArray<string>
}

/** The command that runs pnpm. A script that pnpm runs finds pnpm here; npx spends three seconds of a core on each call. */
const [pnpm, ...first] =
  path.basename(process.env["npm_execpath"] ?? "") === "pnpm"
    ? [process.env["npm_execpath"]!]
    : ["npx", "--yes", "pnpm"]

/**
 * Runs a script, with its arguments, without input. Passes each piece of its output to `write`. Default of `priority`: the
 * priority of this process.
 */
const run = (script: string, write: (piece: string) => void, priority?: number): Promise<number> =>
  new Promise((resolve) => {
    const child = Children.start(pnpm, [...first, "run", ...script.split(" ")], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      // heavy tests run at their full size
      env: { ...process.env, CI: "true", FORCE_COLOR: "0", PLUMBLINE_SHARE: process.env["PLUMBLINE_SHARE"] ?? "1" }
    })
    if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority)
    child.stdout!.setEncoding("utf8").on("data", write)
    child.stderr!.setEncoding("utf8").on("data", write)
    child.once("error", (error) => {
      write(`${String(error)}\n`)
      resolve(1)
    })
    // no step follows a signal that ends this process
    child.once("close", (code) => {
      if (!Children.isEnding()) resolve(code ?? 1)
    })
  })

const timed = async (
  script: string,
  write: (piece: string) => void,
  priority?: number
): Promise<{ readonly code: number; readonly seconds: string }> => {
  write(`\n=== ${script}\n`)
  const started = performance.now()
  const code = await run(script, write, priority)
  return { code, seconds: `${((performance.now() - started) / 1000).toFixed(1)} s` }
}

/** Runs steps, as many at a time as there are lanes. */
const inLanes = async (
  lanes: number,
  steps: ReadonlyArray<Step>,
  priority?: number
): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  const left = steps.entries()
  const work = async (): Promise<void> => {
    for (const [index, [script, what]] of left) {
      const pieces: Array<string> = []
      const { code, seconds } = await timed(script, (piece) => pieces.push(piece), priority)
      process.stdout.write(pieces.join(""))
      const passed = code === 0 ? 1 : 0
      outcomes[index] = {
        what: `${script.replace(` ${tarballs}`, "")}: ${what}`,
        passed,
        failed: 1 - passed,
        note: seconds
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
  return outcomes
}

/** Runs steps two at a time, which is one for each core that `.ci/run` counts on. */
const inPairs = (steps: ReadonlyArray<Step>): Promise<ReadonlyArray<Outcome>> => inLanes(2, steps)

const readReport = (): Report | undefined =>
  existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, "utf8")) : undefined

/** More failed files than these are no accident, and do not run again. */
const UNSTEADY = 3

/** Runs a script that runs tests. `isStray` is true if something failed outside the tests of the report. */
const runTests = async (script: string) => {
  rmSync(reportFile, { force: true })
  const printed: Array<string> = []
  const { code, seconds } = await timed(script, (piece) => {
    printed.push(piece)
    process.stdout.write(piece)
  })
  return { code, seconds, report: readReport(), isStray: hasStray(printed.join("")) }
}

/** Runs a script that runs tests, a second time the files that failed, and counts the tests. */
const test = async (script: string, what: string) => {
  const first = await runTests(script)
  let { code, report, seconds } = first
  let unsteady: ReadonlyArray<string> = []
  const files = failedFiles(report)
  if (report !== undefined && !first.isStray && files.length > 0 && files.length <= UNSTEADY) {
    const second = await runTests(`${script} --maxWorkers 1 ${files.join(" ")}`)
    if (second.report !== undefined) {
      const both = repeated(report, second.report)
      unsteady = unsteadyIn(report, both)
      ;({ code } = second)
      seconds += ` and ${second.seconds}`
      report = both
    }
  }
  const { failed, passed, skipped } = tally(report, code)
  const outcome: Outcome = {
    what: `${script}: ${what}`,
    passed,
    failed,
    note: `${seconds}, ${skipped} skipped`,
    failures: [...failures(report), ...unsteady].map((failure) => failure.replace(`${root}/`, ""))
  }
  return { outcome, report }
}

/** Runs all tests, and reports whether those on real data were among them. */
const tests = async (): Promise<ReadonlyArray<Outcome>> => {
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
const outcomes: Array<Outcome> = [...(await inPairs([types]))]
const [tested, besides] = await Promise.all([tests(), inLanes(1, sources, constants.priority.PRIORITY_LOW)])
outcomes.push(...tested, ...besides, ...(await inPairs([build])), ...(await inPairs(packing)))
process.env[TARBALLS] = tarballs
outcomes.push(...(await inPairs(products)))
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
