/** The parts that the tests of the product and those of the laboratory configure alike. */
import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import * as path from "node:path"

import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from "vitest/config"

const root = import.meta.dirname

/** The part of their full size at which heavy tests run (AGENTS.md, "Tests"); `scripts/ci.ts` sets 1. */
const share = process.env["PLUMBLINE_SHARE"] ?? "0.1"
const isWhole = Number(share) >= 1

/**
 * Files that run at full size only. They start many processes or a browser, or compute for long. They run after all
 * other files, three at a time on two cores: most of them wait for one process after another.
 */
export const heavy = "**/*.heavy.test.ts"

/** Workers for tests that wait for servers and processes: more than cores, to keep the cores busy. */
const waiting = Math.ceil(availableParallelism() * 1.5)

export interface Options {
  /** Patterns of the packages, below the root. Each is a project. */
  readonly members: ReadonlyArray<string>
  /** Patterns of the heavy files, below the root. */
  readonly heavy: ReadonlyArray<string>
  /** Modules that prepare the run of the heavy files. */
  readonly setup?: ReadonlyArray<string>
  /** Heavy files that run at the end, one at a time, because they measure the time in which something happens. */
  readonly alone: ReadonlyArray<string>
  /** Projects that are not a package. */
  readonly more?: ReadonlyArray<TestProjectInlineConfiguration>
}

/** Returns the configuration of a run. Its reports and patterns are relative to the root of the repository. */
export const configure = ({ alone, heavy: heavyFiles, members, more = [], setup = [] }: Options): ViteUserConfig => {
  // vitest reads the configuration once more for each project
  if (!isWhole && process.argv.includes("run") && process.env["PLUMBLINE_LEFT_OUT"] === undefined) {
    process.env["PLUMBLINE_LEFT_OUT"] = "said"
    console.log("Files *.heavy.test.ts are left out; .ci/run runs them, and so does PLUMBLINE_SHARE=1.")
  }
  const projects = globSync([...members], { cwd: root }).map((dir) => {
    const name: string = JSON.parse(readFileSync(path.join(root, dir, "package.json"), "utf8")).name
    return {
      extends: true as const,
      root: path.join(root, dir),
      test: { name, exclude: [heavy] }
    }
  })
  const wholeOnly = [
    {
      extends: true as const,
      root,
      test: {
        name: "heavy",
        include: [...heavyFiles],
        exclude: [...alone],
        globalSetup: setup.map((file) => path.join(root, file)),
        maxWorkers: waiting,
        sequence: { groupOrder: 1 }
      }
    },
    {
      extends: true as const,
      root,
      test: { name: "alone", include: [...alone], maxWorkers: 1, sequence: { groupOrder: 2 } }
    }
  ]
  return defineConfig({
    root,
    test: {
      projects: [...projects, ...more, ...(isWhole ? wholeOnly : [])],
      // scripts/ci.ts counts the tests in this report.
      ...(process.env["CI"] === "true"
        ? { reporters: ["default", "json"], outputFile: { json: path.join(root, "node_modules/.cache/vitest.json") } }
        : {}),
      include: ["test/**/*.test.ts"],
      exclude: ["**/node_modules/**", "**/dist/**"],
      // A package may have no tests, and a change no test that imports it. A file that is named must be there.
      passWithNoTests: !process.argv.some((arg) => arg.endsWith(".test.ts")),
      // at full size, tests compute more and wait less
      maxWorkers: isWhole ? "100%" : waiting,
      // Test files share a process and its modules: a module is evaluated once per worker instead of once per file. So no
      // module of `test/support` may register a hook when it is imported: only the first file would get it.
      isolate: false,
      env: {
        // Node keeps compiled code here, for workers and for the programs that tests start
        NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/compiled"),
        PLUMBLINE_SHARE: share,
        ...(isWhole ? {} : { PLUMBLINE_COSTS: path.join(root, "node_modules/.cache/costs") })
      },
      sequence: { concurrent: true },
      // The tests of a file run at once, so each can take as long as all of them together. The timeout only ends a test
      // that hangs; it does not limit the speed of tests. The longest tests compute for a minute on two cores.
      testTimeout: 300_000,
      hookTimeout: 120_000,
      // a page that is polled may wait for the other work of the machine; the default is one second
      expect: { poll: { timeout: 60_000 } },
      setupFiles: [path.join(root, "vitest.setup.ts")],
      benchmark: { include: ["bench/**/*.bench.ts"] },
      coverage: {
        provider: "v8",
        include: ["packages/*/src/**/*.ts"],
        exclude: ["**/index.ts"],
        reporter: ["text", "lcovonly"],
        thresholds: { lines: 80 }
      }
    }
  })
}
