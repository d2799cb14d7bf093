/**
 * Runs all fixtures of the third set: blocks, answers and proofs of mainnet and of test networks, from the suites of
 * other projects.
 */
import { answers } from "./mainnet/answers.ts"
import { besuAnswers } from "./mainnet/besuAnswers.ts"
import { objects } from "./mainnet/objects.ts"
import { payloads } from "./mainnet/payloads.ts"
import { portal } from "./mainnet/portal.ts"
import { besuGenesis, rlpBlocks } from "./mainnet/rlpBlocks.ts"
import { conformance } from "./support/fixtures.ts"
import * as Tally from "./support/tally.ts"

conformance("mainnet", () => {
  const tally = Tally.make("3-mainnet")
  rlpBlocks(tally)
  besuGenesis(tally)
  besuAnswers(tally)
  answers(tally)
  objects(tally)
  portal(tally)
  payloads(tally)
})
