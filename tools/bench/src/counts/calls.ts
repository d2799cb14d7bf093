/** Counts the calls of JavaScript functions by the precise coverage of V8, which misses none and needs no change. */
import { Session } from "node:inspector"

export interface Calls {
  /** Calls of functions of the packages. */
  readonly ours: number
  /** Calls of functions of Effect. */
  readonly effect: number
  /** Parsers of schemas that were made, rather than used again. */
  readonly parsers: number
}

const session = new Session()

/** The functions of effect's `SchemaParser` that make a parser. The parsers themselves have other names. */
const MAKERS = /^(?:decode|encode|make|asserts|is|_is|_issue|run|runWithCompiler)/u

const packages = new URL("../../../../packages/", import.meta.url).href

/** Begins to count. From then on everything is several times slower, so prepare the work before. */
export const start = (): void => {
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
}

/** Returns the calls since the last time, and since the start the first time. */
export const take = (): Calls => {
  const calls = { ours: 0, effect: 0, parsers: 0 }
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error !== null) throw error
    for (const { functions, url } of coverage.result) {
      const isOurs = url.startsWith(packages) && !url.includes("/node_modules/")
      const isEffect = url.includes("/node_modules/effect/")
      if (!isOurs && !isEffect) continue
      for (const { functionName, ranges } of functions) {
        // The body of a module has no name.
        if (functionName === "" && ranges[0]!.startOffset === 0) continue
        const { count } = ranges[0]!
        calls[isOurs ? "ours" : "effect"] += count
        if (isEffect && url.endsWith("/SchemaParser.js") && MAKERS.test(functionName)) calls.parsers += count
      }
    }
  })
  return calls
}
