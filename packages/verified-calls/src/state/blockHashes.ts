/** The hashes of blocks that a hypothetical run can have: those of real blocks. */
import { unsupported } from "../rules/callFailures.ts"
import type { StateView } from "./stateView.ts"

/** Limits the hashes of a view to blocks below `end`. Any other has none here, so a run that asks for it ends. */
export const limited = (view: StateView, end: bigint): StateView => ({
  ...view,
  blockHash: (number) => {
    if (number < end) return view.blockHash(number)
    throw unsupported(`the hash of block ${number} under an overridden number`)
  }
})
