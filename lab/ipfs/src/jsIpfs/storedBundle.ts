/** Stores a proof bundle on the node, by running the test that `@plumbline/proof-bundle` has for running nodes. */
import { spawn } from "node:child_process"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "../../../..")

/**
 * True if the test published the bundle to the node, pinned it, and fetched it again. The test's output goes to
 * standard error.
 */
export const isKept = (url: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn("vitest", ["run", "--root", root, "--project", "@plumbline/proof-bundle", "realNode"], {
      env: { ...process.env, PLUMBLINE_TEST_IPFS_URL: url },
      stdio: ["ignore", process.stderr, process.stderr]
    })
    child.once("error", reject)
    child.once("close", (code) => resolve(code === 0))
  })
