/** Counts the tests in a report of vitest's JSON reporter. */

/** The part of a report that this module reads. */
export interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: ReadonlyArray<TestFile>
}

export interface TestFile {
  readonly name: string
  readonly status: string
  /** The reason why the file failed, if it failed outside its tests. */
  readonly message?: string
  readonly assertionResults: ReadonlyArray<TestResult>
}

export interface TestResult {
  readonly status: string
  readonly fullName?: string
  readonly failureMessages?: ReadonlyArray<string>
}

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * Returns the counts of a run that ended with `exitCode`. Without a report the tests did not run, which counts as one
 * failure.
 *
 * Each of these counts as one failure: a test file that fails outside its tests (it does not load, or a hook throws), a
 * run that failed although every test passed (a promise was rejected without a handler), and a run in which no test
 * passed.
 */
export const tally = (report: Report | undefined, exitCode: number): Tally => {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 }
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed")
  )
  const counted = report.numFailedTests + broken.length
  const unsound = counted === 0 && (exitCode !== 0 || report.numPassedTests === 0)
  return {
    passed: report.numPassedTests,
    failed: unsound ? 1 : counted,
    skipped: report.numPendingTests + report.numTodoTests
  }
}

const isFailed = (file: TestFile): boolean => file.status === "failed"

/** Returns the files in which something failed, each once. Two projects may run one file. */
export const failedFiles = (report: Report | undefined): ReadonlyArray<string> => [
  ...new Set((report?.testResults ?? []).filter(isFailed).map(({ name }) => name))
]

/** Returns a report in which the failed files have the results of their second run, if it tells of them. */
export const repeated = (first: Report, second: Report): Report => {
  const ran = new Set(second.testResults.map(({ name }) => name))
  const again = new Set(failedFiles(first).filter((name) => ran.has(name)))
  const testResults = [
    ...first.testResults.filter(({ name }) => !again.has(name)),
    ...second.testResults.filter(({ name }) => again.has(name))
  ]
  const count = (...statuses: ReadonlyArray<string>): number =>
    testResults.reduce(
      (sum, { assertionResults }) => sum + assertionResults.filter(({ status }) => statuses.includes(status)).length,
      0
    )
  return {
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    numPendingTests: count("pending", "skipped"),
    numTodoTests: count("todo"),
    testResults
  }
}

/** Counts the tests that passed in the files of one folder. */
export const passedIn = (report: Report | undefined, folder: string): number =>
  (report?.testResults ?? [])
    .filter((file) => file.name.includes(`/${folder}/`))
    .reduce((sum, file) => sum + file.assertionResults.filter(({ status }) => status === "passed").length, 0)

/** Returns the first non-empty line of a message. The stack is left out. */
const firstLine = (text: string | undefined): string =>
  (text ?? "")
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "") ?? "no message"

/**
 * Returns each failed test, and each file that failed outside its tests, by name, with the first line of the reason.
 */
export const failures = (report: Report | undefined): ReadonlyArray<string> =>
  failedTests(report).map(([name, why]) => `${name}: ${why}`)

const failedTests = (report: Report | undefined): ReadonlyArray<readonly [name: string, why: string]> =>
  (report?.testResults ?? []).flatMap((file) => {
    const failed = file.assertionResults.filter(({ status }) => status === "failed")
    if (failed.length === 0) return isFailed(file) ? [[file.name, firstLine(file.message)] as const] : []
    return failed.map(
      ({ failureMessages, fullName }) => [`${file.name} > ${fullName ?? "?"}`, firstLine(failureMessages?.[0])] as const
    )
  })

/** Returns what failed in a first run, and is not failed in `both` runs, by name, with the first line of the reason. */
export const unsteadyIn = (first: Report, both: Report): ReadonlyArray<string> => {
  const still = new Set(failedTests(both).map(([name]) => name))
  return failedTests(first).flatMap(([name, why]) => (still.has(name) ? [] : [`unsteady: ${name}: ${why}`]))
}

/** True if vitest printed an error that belongs to no test: its report does not have it, only its exit code. */
export const hasStray = (printed: string): boolean => printed.includes(" Unhandled Errors ")
