/**
 * Collects garbage in the process that loads it, and tells what is left: every 10 seconds it appends the bytes of the
 * heap in use and of resident memory to the file that `PLUMBLINE_CHAOS_MEMORY` names.
 *
 * The heap in use before a collection says nothing of a leak: V8 lets garbage pile up while there is memory.
 */
import { appendFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const file = process.env["PLUMBLINE_CHAOS_MEMORY"] ?? ""

setInterval(
  () => {
    collect()
    const { external, heapUsed, rss } = process.memoryUsage()
    appendFileSync(file, `${JSON.stringify({ live: heapUsed + external, rss })}\n`)
  },
  Number(process.env["PLUMBLINE_CHAOS_EVERY"] ?? 10_000)
).unref()
