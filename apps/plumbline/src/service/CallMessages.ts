/** The messages between the service and a thread that runs calls. Everything in them can be cloned. */
import type { methods, ProvenCall } from "@plumbline/eth-methods/call/CallEngine"
import { CallError, type CallErrorReason } from "@plumbline/eth-methods/call/CallError"
import type { AnyOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type * as Block from "@plumbline/eth-methods/model/Block"
import { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Anchor } from "@plumbline/verdict/Anchor"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import type { ChainForks } from "@plumbline/verified-calls/rules/Hardforks"
import * as Schema from "effect/Schema"

/** The methods of an engine that run calls. */
export type RunMethod = keyof typeof methods

/** The reads that a run makes of its node. The access list is asked for in the thread of the service. */
export const reads = ["getProof", "getCode", "getBlockByHash", "getBlockByNumber"] as const

export type ReadMethod = (typeof reads)[number]

/** A block whose header is proven, without its evidence and its transactions. */
export interface PlainBlock {
  readonly value: Block.WithHashes
  readonly anchor: Anchor
}

/** The node and the rules of a call. Calls with the same number share what they have read. */
export interface RunnerKey {
  readonly number: number
  readonly chainId: bigint | undefined
  readonly chain: ChainForks | undefined
}

/** A message to the thread. */
export type ToThread =
  | {
      readonly _tag: "Run"
      readonly call: number
      readonly runner: RunnerKey
      readonly method: RunMethod
      readonly request: unknown
      readonly block: PlainBlock
      readonly options: unknown
    }
  | { readonly _tag: "Stop"; readonly call: number }
  | { readonly _tag: "Forget"; readonly runner: number }
  | { readonly _tag: "Answer"; readonly read: number; readonly outcome: Outcome<unknown> }

/** One read of a node. */
export interface Read {
  readonly call: number
  readonly read: number
  readonly method: ReadMethod
  readonly args: ReadonlyArray<unknown>
}

/** A message from the thread. `Ended` without an outcome is the end of a call that was stopped. */
export type FromThread =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Reads"; readonly reads: ReadonlyArray<Read> }
  | { readonly _tag: "Leave"; readonly read: number }
  | { readonly _tag: "Ended"; readonly call: number; readonly outcome: Outcome<ProvenCall<AnyOutcome>> | undefined }

/** The outcome of a read or a run. */
export type Outcome<A> =
  | { readonly _tag: "Success"; readonly value: A }
  | { readonly _tag: "Failure"; readonly error: PlainFailure }
  | { readonly _tag: "Defect"; readonly problem: string }

/** The failures of a run. */
export type RunFailure = JsonRpcError | RefutedError | CallError

/** A failure in a form that can be cloned. */
type PlainFailure =
  | { readonly _tag: "JsonRpcError"; readonly error: typeof jsonRpcError.Encoded }
  | { readonly _tag: "RefutedError"; readonly error: typeof refutedError.Encoded }
  | { readonly _tag: "CallError"; readonly reason: PlainReason }

/** The reason of a `CallError`, with the node's error in plain form. */
type PlainReason =
  | Exclude<CallErrorReason, { readonly _tag: "Unavailable" }>
  | (Omit<Extract<CallErrorReason, { readonly _tag: "Unavailable" }>, "error"> & {
      readonly error: typeof jsonRpcError.Encoded | undefined
    })

const jsonRpcError = Schema.toCodecJson(JsonRpcError)
const refutedError = Schema.toCodecJson(RefutedError)
const toPlain = Schema.encodeSync(jsonRpcError)
const fromPlain = Schema.decodeSync(jsonRpcError)

/** Returns a failure in a form that can be cloned. */
export const plainOf = (error: RunFailure): PlainFailure => {
  switch (error._tag) {
    case "JsonRpcError":
      return { _tag: "JsonRpcError", error: toPlain(error) }
    case "RefutedError":
      return { _tag: "RefutedError", error: Schema.encodeSync(refutedError)(error) }
    case "CallError": {
      const { reason } = error
      if (reason._tag !== "Unavailable") return { _tag: "CallError", reason }
      return { _tag: "CallError", reason: { ...reason, error: reason.error && toPlain(reason.error) } }
    }
  }
}

/** Returns the failure of a plain form. */
export const failureOf = (plain: PlainFailure): RunFailure => {
  switch (plain._tag) {
    case "JsonRpcError":
      return fromPlain(plain.error)
    case "RefutedError":
      return Schema.decodeSync(refutedError)(plain.error)
    case "CallError": {
      const { reason } = plain
      if (reason._tag !== "Unavailable") return new CallError({ reason })
      return new CallError({
        reason: { ...reason, error: reason.error === undefined ? undefined : fromPlain(reason.error) }
      })
    }
  }
}
