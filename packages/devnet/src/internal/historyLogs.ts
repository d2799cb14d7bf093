/** The logs of the history chain that a filter selects. */
import type * as Log from "@plumbline/eth-methods/Log"
import * as LogFilter from "@plumbline/eth-methods/LogFilter"
import * as LogsBloom from "@plumbline/eth-methods/LogsBloom"

import type { Stored } from "./historyArchive.ts"

/** Those of these blocks, in the order of the chain. Receipts are read only where the block's filter lets one expect any. */
export const select = (blocks: ReadonlyArray<Stored>, filter: LogFilter.Selection): ReadonlyArray<Log.Log> => {
  const isSelected = LogFilter.selector(filter)
  return blocks
    .filter(({ header }) => LogsBloom.mayMatch(header.logsBloom!, filter))
    .flatMap((block) => block.receipts().flatMap((receipt) => receipt.logs.filter(isSelected)))
}
