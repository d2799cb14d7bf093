/** A proof bundle on the node: the test of `@plumbline/proof-bundle` for a node that somebody runs. */
import { spawn } from "node:child_process"
import * as path from "node:path"

const root = path.join(import.meta.dirname, "../../../..")

/** Whether it is published there, pinned, and fetched again. What the test says goes to standard error. */
export const isKept = (url: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn("vitest", ["run", "--root", root, "--project", "@plumbline/proof-bundle", "realNode"], {
      env: { ...process.env, PLUMBLINE_TEST_IPFS_URL: url },
      stdio: ["ignore", process.stderr, process.stderr]
    })
    child.once("error", reject)
    child.once("close", (code) => resolve(code === 0))
  })
