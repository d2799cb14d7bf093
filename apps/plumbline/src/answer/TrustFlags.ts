/** The flags that name the reader's trust: a block, or a checkpoint of the beacon chain. */
import * as Flag from "effect/cli/Flag"

import * as BeaconFlags from "../beacon/BeaconFlags.ts"

/** The flags, for a command's config. `ReaderTrust` reads the first one, and `BeaconSettings` the others. */
export const flags = {
  trust: Flag.String("trust").pipe(
    Flag.withMetavar("block hash"),
    Flag.withDescription("Hash of a block that you know to be on the chain. The answer is proven from it"),
    Flag.optional
  ),
  ...BeaconFlags.flags
}
