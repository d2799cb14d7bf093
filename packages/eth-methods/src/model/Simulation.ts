/**
 * The argument and the answer of eth_simulateV1: calls in blocks that do not exist, one after the other.
 *
 * Source: execution-apis (eth/execute.yaml, schemas/execute.yaml). The blocks in an answer have no hash that the chain
 * knows, so every field of a header may be missing.
 */
import type * as Schema from "effect/Schema"

import * as CallOverrides from "./CallOverrides.ts"
import * as CallRequest from "./CallRequest.ts"
import * as EthWire from "./ethWire.ts"

const blockCalls = EthWire.object("SimulationBlock", {
  /** The block's changed fields. By default, its number is one higher than that of the block before. */
  blockOverrides: EthWire.missable(EthWire.of(CallOverrides.BlockOverride)),
  /** The accounts that are changed before the first call of the block. */
  stateOverrides: EthWire.missable(EthWire.of(CallOverrides.StateOverride)),
  calls: EthWire.missable(EthWire.array(EthWire.of(CallRequest.CallRequest)))
})

const request = EthWire.object("SimulationRequest", {
  blockStateCalls: EthWire.array(blockCalls),
  /** True to report each transfer of ether as a log of the address 0xeeee…eeee. */
  traceTransfers: EthWire.missable(EthWire.boolean),
  /** True to check nonces and fees as in a real block. */
  validation: EthWire.missable(EthWire.boolean),
  returnFullTransactions: EthWire.missable(EthWire.boolean)
})
/** Blocks of calls to simulate. */
export const SimulationRequest: Schema.Codec<SimulationRequest, typeof request.schema.Encoded> = request.schema
/** See the Schema of the same name. */
export interface SimulationRequest extends Schema.Schema.Type<typeof request.schema> {}

const log = EthWire.object("SimulatedLog", {
  address: EthWire.address,
  topics: EthWire.array(EthWire.hash32),
  data: EthWire.data,
  blockHash: EthWire.missable(EthWire.hash32),
  blockNumber: EthWire.missable(EthWire.quantity),
  blockTimestamp: EthWire.missable(EthWire.quantity),
  transactionHash: EthWire.missable(EthWire.hash32),
  transactionIndex: EthWire.missable(EthWire.quantity),
  logIndex: EthWire.missable(EthWire.quantity),
  removed: EthWire.missable(EthWire.boolean)
})
/** A log of a simulated call. */
export const SimulatedLog: Schema.Codec<SimulatedLog, typeof log.schema.Encoded> = log.schema
/** See the Schema of the same name. */
export interface SimulatedLog extends Schema.Schema.Type<typeof log.schema> {}

const call = EthWire.object("SimulatedCall", {
  /** 1 if the call succeeded, otherwise 0. */
  status: EthWire.quantity,
  returnData: EthWire.data,
  gasUsed: EthWire.quantity,
  /** The gas that the call used before refunds. */
  maxUsedGas: EthWire.missable(EthWire.quantity),
  /** The logs of the call; empty if it failed. */
  logs: EthWire.missable(EthWire.array(EthWire.of(SimulatedLog))),
  /** The failure: code 3 for a revert, with its bytes, and -32015 for any other. */
  error: EthWire.missable(
    EthWire.object("SimulatedCallError", {
      code: EthWire.number,
      message: EthWire.string,
      data: EthWire.missable(EthWire.data)
    })
  )
})
/** The result of one simulated call. */
export const SimulatedCall: Schema.Codec<SimulatedCall, typeof call.schema.Encoded> = call.schema
/** See the Schema of the same name. */
export interface SimulatedCall extends Schema.Schema.Type<typeof call.schema> {}

const block = EthWire.object("SimulatedBlock", {
  number: EthWire.quantity,
  /** Unix time in seconds. */
  timestamp: EthWire.quantity,
  gasLimit: EthWire.quantity,
  /** The gas of all calls. */
  gasUsed: EthWire.quantity,
  miner: EthWire.missable(EthWire.address),
  mixHash: EthWire.missable(EthWire.hash32),
  baseFeePerGas: EthWire.missable(EthWire.quantity),
  hash: EthWire.missable(EthWire.hash32),
  parentHash: EthWire.missable(EthWire.hash32),
  stateRoot: EthWire.missable(EthWire.hash32),
  calls: EthWire.array(EthWire.of(SimulatedCall))
})
/** A simulated block with the results of its calls. A node may add the other fields of a block. */
export const SimulatedBlock: Schema.Codec<SimulatedBlock, typeof block.schema.Encoded> = block.schema
/** See the Schema of the same name. */
export interface SimulatedBlock extends Schema.Schema.Type<typeof block.schema> {}
