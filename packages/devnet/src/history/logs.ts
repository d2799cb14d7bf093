/** The logs of the history chain that a filter selects. */
import type * as Log from "@plumbline/eth-methods/model/Log"
import * as LogFilter from "@plumbline/eth-methods/model/LogFilter"

import type { Stored } from "./archive.ts"

/**
 * Those of these blocks, in the order of the chain.
 *
 * A filter is read once, whatever it is asked about, and each log of the blocks is looked at once. Their bloom filters are
 * not: to ask one, everything that the filter names has to be hashed, which takes longer than to look at all logs there are.
 */
export const select = (
  blocks: ReadonlyArray<Pick<Stored, "logs">>,
  filter: LogFilter.Selection
): ReadonlyArray<Log.Log> => {
  const isSelected = LogFilter.selector(filter)
  return blocks.flatMap((block) => block.logs().filter(isSelected))
}
