/** A block as the parts of its screen share it. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as EthBlock from "@plumbline/eth-methods/model/Block"

import type { ProofSubject } from "../proof/ProofSubject.ts"

/** A block on a chain, and the links from it. */
export interface ShownBlock {
  readonly network: string
  readonly block: EthBlock.WithTransactions & { readonly hash: Hash32.Hash32; readonly number: bigint }
  /** The trust that links hold: the reader's, if it reaches the block. */
  readonly trust: string | undefined
  /** Returns the link to the proof of a value of the block. */
  readonly proof: (subject: ProofSubject) => string
  readonly account: (address: string) => { readonly href: string }
}
