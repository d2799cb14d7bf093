/**
 * Counts the calls of JavaScript functions with V8's precise coverage, which counts every call and needs no change of
 * the code.
 */
import { Session } from "node:inspector"

export interface Calls {
  /** Number of calls of our packages' functions. */
  readonly ours: number
  /** Number of calls of Effect's functions. */
  readonly effect: number
  /** Number of Schema parsers that were newly made instead of reused. */
  readonly parsers: number
}

const session = new Session()

/** The functions of effect's `SchemaParser` that make a parser. A parser itself can be called `run`. */
const MAKERS = /^(?:decode|encode|make|asserts|is|_is|_issue|run.)/u

const packages = new URL("../../../../packages/", import.meta.url).href

/** Begins to count. All code is several times slower from then on, so prepare the work before. */
export const start = (): void => {
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
}

/** Returns the calls since the previous `take`, or since `start`. */
export const take = (): Calls => {
  const calls = { ours: 0, effect: 0, parsers: 0 }
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error !== null) throw error
    for (const { functions, url } of coverage.result) {
      const isOurs = url.startsWith(packages) && !url.includes("/node_modules/")
      const isEffect = url.includes("/node_modules/effect/")
      if (!isOurs && !isEffect) continue
      for (const { functionName, ranges } of functions) {
        // V8 lists the body of a module as a function without a name; skip it.
        if (functionName === "" && ranges[0]!.startOffset === 0) continue
        const { count } = ranges[0]!
        calls[isOurs ? "ours" : "effect"] += count
        if (isEffect && url.endsWith("/SchemaParser.js") && MAKERS.test(functionName)) calls.parsers += count
      }
    }
  })
  return calls
}
