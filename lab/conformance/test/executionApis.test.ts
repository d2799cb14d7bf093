/** Runs all fixtures of execution-apis: its exchanges and its chain. */
import { chain } from "./executionApis/chain.ts"
import { allExchanges } from "./executionApis/exchanges.ts"
import { conformance } from "./support/fixtures.ts"
import * as Tally from "./support/tally.ts"

conformance("execution-apis", () => {
  const tally = Tally.make("1-execution-apis")
  allExchanges(tally)
  chain(tally)
})
