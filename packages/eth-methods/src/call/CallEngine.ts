/**
 * The engine that runs eth_call here, over state that is proven under one verified header.
 *
 * An engine holds an Ethereum virtual machine, which is larger than all other proofs together. So it is a package of its
 * own, `@plumbline/verified-calls`, and a program that makes no calls does not bundle it.
 *
 * **When to use**
 *
 * Provide the layer of `@plumbline/verified-calls` to `VerdictEthClient.layer` or `ProvenEthClient.layer`, or pass the
 * engine as the option `calls` to their `make`. The engine is trusted: a wrong one gives wrong outcomes.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Address from "@plumbline/codec/value/Address"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as AccessListResult from "../model/AccessListResult.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as CallRequest from "../model/CallRequest.ts"
import type { CallError } from "./CallError.ts"
import type { CallOutcome } from "./CallOutcome.ts"

/** The reads that an engine makes. It checks every answer; an access list is only a hint. */
export type CallNode = Pick<
  EthClient.Client,
  "getProof" | "getCode" | "getBlockByHash" | "getBlockByNumber" | "createAccessList"
>

/** An account that a call read, under the block's stateRoot. */
export interface ReadAccount {
  readonly address: Address.Address
  /** False if the account is proven absent. */
  readonly exists: boolean
  /** The number of slots of this account that the call read. */
  readonly slots: number
  /** The hash of the code that the call ran or read; undefined if it needed none. */
  readonly code: Hash32.Hash32 | undefined
}

/** The basis of a call's outcome. */
export interface CallBasis {
  /** The block whose state and header the call saw. */
  readonly block: Hash32.Hash32
  /** The rules of the run, by their name in the execution specification, such as `prague`. */
  readonly hardfork: string
  /** The gas that the call was given. */
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** The accounts that the call read, in the order of the first read. */
  readonly accounts: ReadonlyArray<ReadAccount>
  /** The numbers of older blocks whose hashes the call read. */
  readonly blockHashes: ReadonlyArray<bigint>
  /** The number of times that the engine waited for the node. */
  readonly roundTrips: number
}

/** The outcome of a call, and its basis. */
export interface ProvenCall {
  readonly outcome: CallOutcome
  readonly basis: CallBasis
}

/** An access list that the node suggests; undefined if there is none. */
export type CallHint = AccessListResult.AccessListResult | undefined

/** An engine over one node. It keeps what it has proven, so calls about one block share their reads. */
export interface CallRunner {
  /**
   * Asks the node in advance which accounts and slots the call will read. Undefined if this runner has read the called
   * account at this block before, or for a tag, at the block that it read last.
   */
  readonly hint: (
    request: CallRequest.CallRequest,
    block: BlockParameter.BlockParameter
  ) => Effect.Effect<CallHint> | undefined
  /** Runs a call in the state after a block. Refutes an answer of the node that contradicts the block's header. */
  readonly run: (
    request: CallRequest.CallRequest,
    block: Verified<Block.WithHashes>,
    hint?: CallHint
  ) => Effect.Effect<ProvenCall, JsonRpcError | RefutedError | CallError>
}

/** An engine for calls. */
export interface CallEngine {
  /** Name of the engine for display. */
  readonly name: string
  /**
   * Returns a runner over a node. `chainId` is the chain that the caller knows, if any; a node's answer is not enough,
   * because the rules of a call depend on it.
   */
  readonly over: (node: CallNode, chainId: bigint | undefined) => CallRunner
}

/**
 * The engine that the proving clients use. Default: undefined. Then `call` is unproven.
 *
 * ```ts import.meta.vitest
 * import { CallEngine } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * Effect.runSync(CallEngine.CallEngine) // => undefined
 * ```
 */
export const CallEngine: Context.Reference<CallEngine | undefined> = /* @__PURE__ */ Context.Reference<
  CallEngine | undefined
>("@plumbline/eth-methods/CallEngine", { defaultValue: () => undefined })
