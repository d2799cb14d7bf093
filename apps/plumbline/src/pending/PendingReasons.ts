import * as Evidence from "@plumbline/verdict/Evidence"
import * as Reason from "@plumbline/verdict/Reason"

import * as Units from "../terminal/Units.ts"

/** A share of the transactions of a list. */
interface Share {
  readonly some: number
  readonly all: number
}

const share = ({ all, some }: Share): string => `${some === all ? "each" : some} of ${Units.count(all, "transaction")}`

/** The fields of each transaction hash to the transaction's hash. */
export const Hashes = Evidence.kind(
  "Hashes",
  ({ chain, ...of }: Share & { readonly chain: string }) =>
    `${share(of)}: its fields hash to its transaction_hash on the chain ${chain}`
)

/** Transactions are signed by known keys. */
export const Signatures = Evidence.kind(
  "Signatures",
  (of: Share) => `${share(of)}: the known key of its account signed it`
)

/** The reason why an empty list is only claimed. */
export const Empty = Reason.kind(
  "Empty",
  () => "an empty list proves nothing: a node that shows none, or hides some, answers the same"
)

/** The node may have left transactions out. */
export const Others = Reason.kind(
  "Others",
  () => "that no others are pending is the node's word: nothing shows what it leaves out"
)

/** The node itself names the chain that it has. */
export const ChainOfNode = Reason.kind(
  "ChainOfNode",
  () => "which chain it is, the node says itself; --chain says which one you mean"
)
