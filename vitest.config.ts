import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { defineConfig } from "vitest/config"

import * as Examples from "./tools/examples/plugin.ts"

const root = import.meta.dirname

const projects = globSync(
  ["packages/*", "apps/*", "tools/{bench,browser,conformance,faults,interface,ipfs,lies,seeded}"],
  {
    cwd: root
  }
).map((dir) => {
  const name: string = JSON.parse(readFileSync(path.join(root, dir, "package.json"), "utf8")).name
  return {
    extends: true as const,
    root: path.join(root, dir),
    test: { name }
  }
})

export default defineConfig({
  test: {
    projects: [
      ...projects,
      {
        extends: true,
        plugins: [Examples.plugin(root)],
        test: { name: "examples", include: ["tools/examples/*.test.ts"] }
      },
      { extends: true, test: { name: "scripts", include: ["scripts/test/*.test.ts"] } }
    ],
    // scripts/ci.ts counts from this report.
    ...(process.env["CI"] === "true"
      ? { reporters: ["default", "json"], outputFile: { json: path.join(root, "node_modules/.cache/vitest.json") } }
      : {}),
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    passWithNoTests: true,
    // all cores, where the default leaves one free: on two that is half of them
    maxWorkers: "100%",
    // Files share a process, and with it what they import: a module is evaluated once per worker instead of once per file.
    // So no module of `test/support` may register a hook when it is imported: only the first file would get it.
    isolate: false,
    env: {
      // for workers and for the programs that tests start: Node keeps what it has compiled
      NODE_COMPILE_CACHE: path.join(root, "node_modules/.cache/compiled"),
      // what part of their full size heavy tests have (AGENTS.md, "Tests"); scripts/ci.ts sets 1
      PLUMBLINE_SHARE: process.env["PLUMBLINE_SHARE"] ?? "0.1"
    },
    sequence: { concurrent: true },
    // The tests of a file run at once, so that each takes as long as all of them, and machines are slow. A timeout ends a
    // test that hangs; no test is about time. The longest, which compute, take a minute on two cores.
    testTimeout: 300_000,
    hookTimeout: 120_000,
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
