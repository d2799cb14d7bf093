/** A proof bundle on the node, by the test of `@plumbline/proof-bundle` for a node that runs already. */
import { spawn } from "node:child_process"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "../../../..")

/** True if the bundle is published there, pinned, and fetched again. The test's output goes to standard error. */
export const isKept = (url: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn("vitest", ["run", "--root", root, "--project", "@plumbline/proof-bundle", "realNode"], {
      env: { ...process.env, PLUMBLINE_TEST_IPFS_URL: url },
      stdio: ["ignore", process.stderr, process.stderr]
    })
    child.once("error", reject)
    child.once("close", (code) => resolve(code === 0))
  })
