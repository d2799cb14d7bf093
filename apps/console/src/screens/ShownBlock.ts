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

/** Returns the field of the header that fixes a list. It proves the list only if the header hangs from the reader's trust. */
export const fixedBy = (field: string, how: "in order" | "whole", isVerified: boolean): string =>
  isVerified ? `proven ${how} by ${field}` : `${how}, by the ${field} of this claimed header`
