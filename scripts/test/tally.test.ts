import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, onTestFinished, test } from "vitest"

import { failedFiles, failures, hasStray, passedIn, repeated, type Report, tally, unsteadyIn } from "../tally.ts"

const report: Report = {
  numPassedTests: 2,
  numFailedTests: 1,
  numPendingTests: 3,
  numTodoTests: 1,
  testResults: [
    { name: "/x/lab/conformance/test/a.test.ts", status: "passed", assertionResults: [{ status: "passed" }] },
    {
      name: "/x/packages/codec/test/b.test.ts",
      status: "failed",
      assertionResults: [{ status: "passed" }, { status: "failed" }]
    }
  ]
}
const sound: Report = { ...report, numFailedTests: 0, testResults: report.testResults.slice(0, 1) }

test("tests are counted as they ended", () => {
  expect(tally(report, 1)).toEqual({ passed: 2, failed: 1, skipped: 4 })
  expect(tally(sound, 0)).toEqual({ passed: 2, failed: 0, skipped: 4 })
})

test("a file that fails outside its tests is one failure", () => {
  const broken = { name: "/x/c.test.ts", status: "failed", assertionResults: [] }
  expect(tally({ ...report, testResults: [...report.testResults, broken] }, 1).failed).toBe(2)
})

test("a run that fails although its tests passed is one failure", () => {
  expect(tally(sound, 1).failed).toBe(1)
})

test("a run without a report, or without a test that passed, is one failure", () => {
  expect(tally(undefined, 2)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  expect(tally({ ...sound, numPassedTests: 0 }, 0).failed).toBe(1)
})

test("the tests of a folder are told apart", () => {
  expect(passedIn(report, "lab/conformance")).toBe(1)
  expect(passedIn(report, "lab/bench")).toBe(0)
  expect(passedIn(undefined, "lab/conformance")).toBe(0)
})

test("what failed is named, with the first line of why", () => {
  const named: Report = {
    ...report,
    testResults: [
      {
        name: "/x/a.test.ts",
        status: "failed",
        assertionResults: [
          { status: "passed", fullName: "holds" },
          { status: "failed", fullName: "breaks", failureMessages: ["\nAssertionError: 1\n    at here"] }
        ]
      },
      { name: "/x/b.test.ts", status: "failed", message: "does not load\nat there", assertionResults: [] }
    ]
  }
  expect(failures(named)).toEqual(["/x/a.test.ts > breaks: AssertionError: 1", "/x/b.test.ts: does not load"])
  expect(failures(undefined)).toEqual([])
})

test("a second run replaces the results of the files that failed, in each project that runs them", () => {
  const [passing] = report.testResults
  const failing = report.testResults[1]!
  const broken = { name: "/x/c.test.ts", status: "failed", message: "a hook throws", assertionResults: [] }
  const other = { ...failing, status: "passed", assertionResults: [{ status: "passed" }] }
  const first: Report = { ...report, testResults: [passing!, failing, other, broken] }
  expect(failedFiles(first)).toEqual([failing.name, broken.name])
  expect(failedFiles(undefined)).toEqual([])
  const ran = (name: string, ...statuses: ReadonlyArray<string>) => ({
    name,
    status: statuses.includes("failed") ? "failed" : "passed",
    assertionResults: statuses.map((status) => ({ status }))
  })
  const second = (...testResults: Report["testResults"]): Report => ({ ...sound, testResults })
  const both = [ran(failing.name, "passed", "passed", "skipped"), ran(failing.name, "passed")]
  const steady = repeated(
    first,
    second(...both, ran(broken.name, "passed"), ran("/x/of-another-name.test.ts", "passed"))
  )
  expect(tally(steady, 0)).toEqual({ passed: 5, failed: 0, skipped: 1 })
  const still = repeated(first, second(...both, ran(broken.name, "failed", "todo")))
  expect(tally(still, 1)).toEqual({ passed: 4, failed: 1, skipped: 2 })
  // a file that the second run does not tell of is not passed
  expect(tally(repeated(first, second(...both)), 0).failed).toBe(1)
})

test("what passed the second time only is named as unsteady, and what failed again is not", () => {
  const failing = (...names: ReadonlyArray<string>): Report => ({
    ...report,
    testResults: [
      {
        name: "/x/a.test.ts",
        status: "failed",
        assertionResults: names.map((fullName) => ({ status: "failed", fullName, failureMessages: ["Error: late"] }))
      }
    ]
  })
  const first = failing("is: one", "is: two")
  expect(unsteadyIn(first, repeated(first, failing("is: two")))).toEqual([
    "unsteady: /x/a.test.ts > is: one: Error: late"
  ])
  // a second run that does not tell of the file
  expect(unsteadyIn(first, repeated(first, sound))).toEqual([])
})

test("an error outside all tests is seen in what vitest prints", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-stray-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const vitest = path.resolve(import.meta.dirname, "../../node_modules/vitest")
  const run = (body: string) => {
    const file = path.join(folder, "a.test.mjs")
    writeFileSync(
      file,
      `import { expect, test } from ${JSON.stringify(`${vitest}/dist/index.js`)}\ntest("a", () => {${body}})\n`
    )
    const args = [`${vitest}/vitest.mjs`, "run", "--root", folder]
    const { status, stderr, stdout } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] }
    })
    return [status, hasStray(stdout + stderr)]
  }
  expect(run("Promise.reject(new Error('stray'))")).toEqual([1, true])
  expect(run("expect(1).toBe(2)")).toEqual([1, false])
})
