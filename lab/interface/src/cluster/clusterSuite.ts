/** Runs the tests of the interface against the cluster. */
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import * as path from "node:path"

import { Effect } from "effect"

import { temporaryFolder } from "../service.ts"
import type { Cluster } from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"

const root = path.resolve(import.meta.dirname, "../../../..")

/** Runs the tests in a separate process, which finds the service through an environment variable. */
export const run = ({ counted, target }: Cluster) =>
  Effect.gen(function* () {
    const before = counted()
    const file = path.join(yield* temporaryFolder, "report.json")
    const args = ["run", "--project", "@plumbline/interface", "--reporter", "json", "--outputFile", file]
    yield* Effect.callback<void>((resume) => {
      const vitest = spawn(
        process.execPath,
        [path.join(root, "node_modules/vitest/vitest.mjs"), ...args, "lab/interface/test/interface"],
        { cwd: root, env: { ...process.env, PLUMBLINE_INTERFACE: JSON.stringify(target) }, stdio: "ignore" }
      )
      vitest.once("close", () => resume(Effect.void))
      return Effect.sync(() => vitest.kill())
    })
    // If the tests did not find the cluster, they would start their own service and pass.
    const asked = counted().map((calls, index) => calls - before[index]!)
    return finding(yield* Effect.promise(() => readFile(file, "utf8")), asked)
  }).pipe(Effect.scoped)

const finding = (text: string, asked: ReadonlyArray<number>): Finding => {
  const report = JSON.parse(text)
  const failed = report.testResults.flatMap(({ assertionResults }: any) =>
    assertionResults.filter(({ status }: any) => status !== "passed").map(({ title }: any) => title)
  )
  return {
    claim: "every sentence that is proven on one process is proven on three behind nginx",
    measured: [
      `${report.numPassedTests} of ${report.numTotalTests} tests passed, ${asked.join(" + ")} calls at a node`,
      ...failed
    ].join("\n    not passed: "),
    holds:
      report.success === true &&
      report.numTotalTests > 0 &&
      report.numPassedTests === report.numTotalTests &&
      asked.every((calls) => calls > 0)
  }
}
