/**
 * The entry. A SIGHUP ends a process that does not listen for it, and the program takes up to a second to load. So this
 * module listens first, and then loads the rest.
 */
import * as CodeCache from "./home/CodeCache.ts"
import * as EarlyHangup from "./home/EarlyHangup.ts"

if (EarlyHangup.isExpected(process.argv.slice(2), process.env)) EarlyHangup.listen()
CodeCache.enable(process.env)

await import("./program.ts")
