/** The options of reading a contract. `Contract` and `VerdictContract` share them. */
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type * as LogFilter from "@plumbline/eth-methods/model/LogFilter"

import type { ContractCall } from "./ContractCall.ts"

/** The block, and the fields of a call other than the contract and its data. */
export interface ReadOptions {
  /** The block in whose state the call runs. Default: `latest`. */
  readonly block?: BlockParameter.BlockParameter | undefined
  /** The sender of the call. Default: the zero address, as the node or the engine has it. */
  readonly from?: Input.Address | undefined
  /** The wei that the call sends. The sender must own it. */
  readonly value?: bigint | undefined
  /** The gas of the call. Default: that of the node or the engine. */
  readonly gas?: bigint | undefined
}

/** The block of calls that are made together. */
export interface AllOptions {
  /** The block in whose state all calls run. Default: `latest`. */
  readonly block?: BlockParameter.BlockParameter | undefined
}

/** The blocks whose logs are read: one by its hash, or a range with both ends. */
export type LogsOptions =
  | { readonly blockHash: Input.Hash32 }
  | {
      /** The first block. Default: `latest`. */
      readonly fromBlock?: BlockParameter.NumberOrTag | undefined
      /** The last block. Default: `latest`. */
      readonly toBlock?: BlockParameter.NumberOrTag | undefined
    }

/** The defaults of the options. */
export const defaults: { readonly block: BlockParameter.Tag; readonly blocks: LogsOptions } = {
  block: "latest",
  blocks: { fromBlock: "latest", toBlock: "latest" }
}

/** Returns the fields of a call with these options. */
export const requestOf = ({ request }: ContractCall, { from, gas, value }: ReadOptions): CallRequest.CallRequest => ({
  ...request,
  ...(from === undefined ? {} : { from }),
  ...(value === undefined ? {} : { value }),
  ...(gas === undefined ? {} : { gas })
})

/** Returns the filter of logs of a contract. */
export const filterOf = (
  address: Input.Address,
  topics: NonNullable<LogFilter.Selection["topics"]>,
  blocks: LogsOptions
): LogFilter.LogFilter =>
  "blockHash" in blocks
    ? { blockHash: blocks.blockHash, address, topics }
    : {
        fromBlock: blocks.fromBlock ?? defaults.block,
        toBlock: blocks.toBlock ?? defaults.block,
        address,
        topics
      }
