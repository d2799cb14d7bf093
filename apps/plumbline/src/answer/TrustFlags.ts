/** The flags that name the reader's trust: a block, a checkpoint of the beacon chain, or a rollup's parent chain. */
import * as Flag from "effect/cli/Flag"

import * as BeaconFlags from "../beacon/BeaconFlags.ts"
import * as RollupFlags from "../rollup/RollupFlags.ts"

/** The flags, for a command's config. `ReaderTrust` reads the first one, `RollupTrust` those of a rollup, and
 * `BeaconSettings` the others. */
export const flags = {
  trust: Flag.String("trust").pipe(
    Flag.withMetavar("block hash"),
    Flag.withDescription("Hash of a block that you know to be on the chain. The answer is proven from it"),
    Flag.optional
  ),
  ...RollupFlags.flags,
  ...BeaconFlags.flags
}
