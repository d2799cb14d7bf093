/**
 * The entry point. A SIGHUP ends a process without a listener for SIGHUP, and the program takes up to a second to load.
 * So this module listens first, and then loads the rest. It also reports a version of Node that is too old to load the
 * rest.
 */
import * as CodeCache from "./home/CodeCache.ts"
import * as EarlySighup from "./home/EarlySighup.ts"
import * as NodeVersion from "./home/NodeVersion.ts"
import * as Warnings from "./home/Warnings.ts"

const problem = NodeVersion.problem(process.versions.node)
if (problem !== undefined) {
  process.stderr.write(`error: ${problem}\n`)
  process.exit(1)
}
if (EarlySighup.isExpected(process.argv.slice(2), process.env)) EarlySighup.listen()
CodeCache.enable(process.env)
Warnings.quiet()

await import("./program.ts")
