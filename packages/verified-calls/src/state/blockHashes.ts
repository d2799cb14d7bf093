/** The hashes of blocks that a hypothetical run can have: those of real blocks. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import type { StateView } from "./stateView.ts"

/** A view that gives no hash of a block that does not exist. */
export interface LimitedView extends StateView {
  /** The number of the first block without a hash that the run asked for; undefined if there was none. */
  readonly refused: () => bigint | undefined
}

/**
 * Limits the hashes of a view to blocks below `end`. Any other has none here, so a run that asks for it has no outcome:
 * `refused` says so.
 */
export const limited = (view: StateView, end: bigint): LimitedView => {
  let refused: bigint | undefined
  return {
    ...view,
    blockHash: (number) => {
      if (number < end) return view.blockHash(number)
      refused ??= number
      return Hash32.ZERO
    },
    refused: () => refused
  }
}
