/**
 * Collects garbage every 10 seconds in the process that loads it. Then it appends the bytes of the heap in use and of
 * resident memory to the file that `PLUMBLINE_CHAOS_MEMORY` names.
 *
 * Before a collection, the heap in use does not show a leak, because V8 keeps garbage while there is memory.
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
