/** Makes the client, and reads a name. Runs in the browser, and from the packed packages in a rehearsal. */
import { ContentHash, EnsName } from "@plumbline/ens"
import { Result } from "effect"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  expectSame(
    "the node of a name",
    EnsName.namehash(EnsName.fromTextUnsafe("ETH")),
    "0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae"
  )
  expectSame("an empty content hash", Result.isFailure(ContentHash.fromBytes(new Uint8Array())), true)
  return "a name normalised"
}
