/**
 * Publishes a snapshot: a version to try, under the tag `snapshot`. It changes the versions in the working tree.
 *
 *     pnpm run release:snapshot <name>     0.0.0-<name>-<time>
 */
import { execFileSync } from "node:child_process"
import * as path from "node:path"

import { root } from "./workspace.ts"

const [name] = process.argv.slice(2)
// the name becomes a part of a version
if (name === undefined || !/^[a-z][a-z0-9-]{0,39}$/u.test(name))
  throw new Error(
    "a snapshot has a name of lower-case letters, digits and dashes. Run: pnpm run release:snapshot fix-timeouts"
  )

const run = (file: string, ...args: ReadonlyArray<string>): void => {
  execFileSync(file, args, { cwd: root, stdio: "inherit" })
}
run(process.execPath, path.join(root, "scripts/versions.ts"), "--snapshot", name)
run("pnpm", "run", "build")
run(path.join(root, "node_modules/.bin/changeset"), "publish", "--tag", "snapshot", "--no-git-tag")
