/**
 * Shifts the wall clock of the process that loads it: `Date` is ahead by a number of milliseconds.
 * `PLUMBLINE_CHAOS_CLOCK` names the file with this number, and the module reads the file every 50 ms.
 *
 * Timers and `performance.now` are not shifted, as when an operator or NTP sets the clock of a machine: Linux moves
 * only CLOCK_REALTIME. libfaketime would move CLOCK_MONOTONIC too, which no machine does.
 */
import { readFileSync } from "node:fs"

const file = process.env["PLUMBLINE_CHAOS_CLOCK"] ?? ""
const RealDate = Date
let ahead = 0

const read = () => {
  const found = Number(readFileSync(file, "utf8"))
  if (Number.isFinite(found)) ahead = found
}
read()
setInterval(read, 50).unref()

const now = () => RealDate.now() + ahead

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name))
})
