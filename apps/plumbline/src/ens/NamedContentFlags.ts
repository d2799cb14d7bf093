/** The flags of IPFS commands that take the ENS name of content: the chain's node, and the reader's trust in the chain. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

import * as TrustFlags from "../answer/TrustFlags.ts"
import * as ChainFlags from "../node/ChainFlags.ts"
import * as EnsFlags from "./EnsFlags.ts"

export const flags = {
  chainUrl: Flag.Redacted("chain-url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription("The chain's node that reads ENS names (default: the service that `plumbline up` started)"),
    Flag.optional
  ),
  network: ChainFlags.flags.network,
  ...TrustFlags.flags,
  ...EnsFlags.flags
}

export type NamedContentFlags = Command.Command.Config.Infer<typeof flags>
