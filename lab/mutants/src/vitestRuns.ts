/** Runs the tests of one package again and again in one vitest, with the source of one file replaced. */
import * as path from "node:path"

import { BaseSequencer, createVitest, type TestSpecification, type Vitest } from "vitest/node"

const root = path.resolve(import.meta.dirname, "../../..")

export type Outcome = "passed" | "failed" | "timeout"

export interface VitestRuns {
  /** Runs test files with a source in place of that of `file`. Ends at the first failure. */
  readonly run: (tests: ReadonlyArray<string>, file: string, source: string | undefined) => Promise<Outcome>
  readonly close: () => Promise<void>
}

/** The processor time after which a run with a mutant is cut off, in microseconds: it computes for ever. */
const PROCESSOR = 60_000_000

/** The time after which a run with a mutant is cut off, in milliseconds: it waits for ever. */
const LONGEST = 240_000

/** Starts vitest for a package. */
export const start = (folder: string): VitestRuns => {
  let replaced: { readonly file: string; readonly source: string } | undefined
  let vitest: Promise<Vitest> | undefined
  let failures = 0
  /** The time that each file took without a mutant, in milliseconds. The fastest run first: most mutants end there. */
  const durations = new Map<string, number>()

  class FastestFirst extends BaseSequencer {
    override sort = async (files: Array<TestSpecification>) =>
      files.sort((a, b) => (durations.get(a.moduleId) ?? 0) - (durations.get(b.moduleId) ?? 0))
  }

  /** Ends the run, because a failure decides about the mutant. */
  const failed = (name: string, errors: unknown): void => {
    if (failures++ > 0) return
    if (replaced === undefined) console.error(name, errors)
    // not awaited, because the run waits for its reporters
    void vitest?.then((running) => running.cancelCurrentRun("test-failure"))
  }

  const open = (): Promise<Vitest> =>
    createVitest(
      {
        config: false,
        root: path.join(root, folder),
        watch: false,
        isolate: false,
        // a mutant's module must not be found under the name of the original
        fsModuleCache: false,
        pool: "threads",
        maxWorkers: 1,
        include: ["test/**/*.test.ts"],
        setupFiles: [path.join(root, "vitest.setup.ts")],
        sequence: { concurrent: true, sequencer: FastestFirst },
        testTimeout: 600_000,
        hookTimeout: 600_000,
        teardownTimeout: 1000,
        env: { PLUMBLINE_SHARE: "0.1", NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/compiled") },
        onConsoleLog: () => false,
        reporters: [
          {
            onTestCaseResult: (test) => {
              const { errors, state } = test.result()
              if (state === "failed") failed(test.fullName, errors)
            },
            onTestModuleEnd: (module) => {
              if (module.state() === "failed") failed(module.relativeModuleId, module.errors())
              if (replaced !== undefined) return
              const { collectDuration, duration } = module.diagnostic()
              durations.set(module.moduleId, collectDuration + duration)
            }
          }
        ]
      },
      {
        plugins: [
          {
            name: "mutant",
            enforce: "pre",
            load: (id) => (id === replaced?.file ? replaced.source : undefined)
          }
        ]
      }
    )

  const close = async (): Promise<void> => {
    const closing = await vitest
    vitest = undefined
    await closing?.close()
  }

  return {
    close,
    run: async (tests, file, source) => {
      const running = await (vitest ??= open())
      if (replaced !== undefined) running.invalidateFile(replaced.file)
      const whole = path.join(root, folder, file)
      replaced = source === undefined ? undefined : { file: whole, source }
      running.invalidateFile(whole)
      failures = 0
      const specifications = (await running.globTestSpecifications()).filter(({ moduleId }) =>
        tests.includes(path.relative(path.join(root, folder), moduleId))
      )
      const begun = performance.now()
      const used = process.cpuUsage()
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<"timeout">((resolve) => {
        timer = setInterval(() => {
          // the threads of the tests are part of this process
          const isLate = process.cpuUsage(used).user > PROCESSOR || performance.now() - begun > LONGEST
          if (isLate && source !== undefined) resolve("timeout")
        }, 1000)
      })
      const ended = running.runTestSpecifications(specifications).then(
        ({ unhandledErrors }): Outcome => {
          for (const error of unhandledErrors) failed("outside of the tests", error)
          return failures > 0 ? "failed" : "passed"
        },
        (error: unknown): Outcome => {
          failed("the run", error)
          return "failed"
        }
      )
      const outcome = await Promise.race([ended, late])
      clearInterval(timer)
      // a mutant that computes for ever ends with its thread
      if (outcome === "timeout") {
        await Promise.race([close(), new Promise((resolve) => setTimeout(resolve, 5000))])
        vitest = undefined
      }
      return outcome
    }
  }
}
