/** The logs of the history chain that a filter selects. */
import type * as Log from "@plumbline/eth-methods/model/Log"
import * as LogFilter from "@plumbline/eth-methods/model/LogFilter"

import type { StoredBlock } from "./historyArchive.ts"

/**
 * Returns the logs of these blocks that the filter selects, in the order of the chain.
 *
 * The filter is parsed once, and each log is read once. Bloom filters are not used, because a lookup would hash every
 * address and topic of the filter, which takes longer than reading all logs of the chain.
 */
export const select = (
  blocks: ReadonlyArray<Pick<StoredBlock, "logs">>,
  filter: LogFilter.Selection
): ReadonlyArray<Log.Log> => {
  const isSelected = LogFilter.selector(filter)
  return blocks.flatMap((block) => block.logs().filter(isSelected))
}
