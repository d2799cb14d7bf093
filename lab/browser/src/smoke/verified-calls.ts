/** Makes the engine for calls. Runs in the browser, and from the packed packages in a rehearsal. */
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  expectSame(
    "the rules of mainnet's first block",
    Hardforks.at(Hardforks.of(1n)!, { number: 0n, timestamp: 0n }).hardfork,
    "chainstart"
  )
  expectSame("the engine", VerifiedCalls.make().name, "@ethereumjs/evm")
  return "an engine made"
}
