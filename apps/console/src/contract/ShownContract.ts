/** The contract of a page with its ABI, which all functions on the page share. */
import type { ChosenAbi } from "./ChosenAbis.ts"
import type { AskedCall } from "./ContractReads.ts"

/** The contract, and the ABI that names its functions. */
export interface ShownContract {
  readonly at: Omit<AskedCall, "data" | "from">
  readonly chosen: ChosenAbi
  /** The trust that links hold: the reader's, if it reaches the block. */
  readonly linkTrust: string | undefined
}
