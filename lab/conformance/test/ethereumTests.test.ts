/** Runs all available fixtures of ethereum/tests: blocks, transactions, RLP, tries and the basic tests. */
import { basics } from "./ethereumTests/basics.ts"
import { blocks } from "./ethereumTests/blocks.ts"
import { rlp, tries } from "./ethereumTests/rlpAndTries.ts"
import { transactions } from "./ethereumTests/transactions.ts"
import { conformance } from "./support/fixtures.ts"
import * as Tally from "./support/tally.ts"

conformance("ethereum/tests", () => {
  const tally = Tally.make("2-ethereum-tests")
  blocks(tally)
  transactions(tally)
  rlp(tally)
  tries(tally)
  basics(tally)
})
