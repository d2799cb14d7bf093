/** The trust of a network: the block from which its nodes' answers are proven. */
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import type * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import type { ChainTrust } from "@plumbline/gateway/cache/VerifiedCache"
import type { TrustState } from "@plumbline/gateway/networks/Network"

/** The trust of a network, and the rules for caching its answers. */
export interface NetworkTrust extends Omit<ChainTrust, "id"> {
  readonly trust: TrustedBlock.TrustedBlock["Service"]
  /** Identifies the trust: two trusts of the same chain have different ids. */
  readonly id: string
  /** Returns the state of the trust, if it asks nodes. */
  readonly state?: (() => TrustState) | undefined
  /** The forks that the network's file names, whose headers the proofs take as known. */
  readonly laterForks?: LaterForks.LaterForks | undefined
}
