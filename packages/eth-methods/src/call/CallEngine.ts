/**
 * The engine that runs calls here, over state that is proven under one verified header: eth_call, eth_estimateGas,
 * eth_createAccessList and eth_simulateV1.
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
import type * as CallOverrides from "../model/CallOverrides.ts"
import type * as CallRequest from "../model/CallRequest.ts"
import type * as Simulation from "../model/Simulation.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import type { CallError } from "./CallError.ts"
import type * as CallOutcome from "./CallOutcome.ts"

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
  /** The keys of the slots of this account that the call read, in lower case. */
  readonly slots: ReadonlyArray<StorageKey.StorageKey>
  /** The hash of the code that the call ran or read; undefined if it needed none. */
  readonly code: Hash32.Hash32 | undefined
}

/** An account whose values the caller gave. They are not proven. */
export interface OverriddenAccount {
  readonly address: Address.Address
  /** The overridden fields, as `CallOverrides.AccountOverride` names them. */
  readonly fields: ReadonlyArray<"balance" | "nonce" | "code" | "state" | "stateDiff">
  /** The number of overridden slots. */
  readonly slots: number
}

/** The parts of the state and the block that the caller altered: a run over them is hypothetical. */
export interface Overridden {
  readonly accounts: ReadonlyArray<OverriddenAccount>
  /** The overridden fields of the block, as `CallOverrides.BlockOverride` names them. */
  readonly block: ReadonlyArray<string>
}

/** The rules of a run. They follow from the chain and the block, and no header names them. */
export interface CallRules {
  readonly chainId: bigint
  /** The hardfork in force, by its name in the execution specification, such as `prague`. */
  readonly hardfork: string
  /** `baseFeeUpdateFraction` of the blob schedule (EIP-7892); undefined before Cancun. */
  readonly blobUpdateFraction: bigint | undefined
}

/** The basis of a call's outcome. */
export interface CallBasis extends CallRules {
  /** The block whose state and header the call saw. */
  readonly block: Hash32.Hash32
  /** The gas that the call was given. In a simulation: the sum over all calls. */
  readonly gasLimit: bigint
  /** The gas that the call used. In a simulation: the sum over all calls. */
  readonly gasUsed: bigint
  /** The accounts that the call read, in the order of the first read, without what the caller overrode. */
  readonly accounts: ReadonlyArray<ReadAccount>
  /** The numbers of older blocks whose hashes the call read. */
  readonly blockHashes: ReadonlyArray<bigint>
  /** The number of times that the engine waited for the node. */
  readonly roundTrips: number
  /** The caller's own changes; undefined if there are none. */
  readonly overridden?: Overridden | undefined
}

/** The outcome of a run, and its basis. */
export interface ProvenCall<O extends CallOutcome.AnyOutcome = CallOutcome.CallOutcome> {
  readonly outcome: O
  /** The basis of the run that gave the outcome. */
  readonly basis: CallBasis
}

/** An access list that the node suggests; undefined if there is none. */
export type CallHint = AccessListResult.AccessListResult | undefined

/** The hint and the overrides of a run. All are optional. */
export interface CallRunOptions {
  /** The node's suggestion of what the call reads. */
  readonly hint?: CallHint | undefined
  readonly stateOverride?: CallOverrides.StateOverride | undefined
  readonly blockOverride?: CallOverrides.BlockOverride | undefined
}

/** Runs a request in the state after a block. Refutes an answer of the node that contradicts the block's header. */
export type CallRun<O extends CallOutcome.AnyOutcome, Request = CallRequest.CallRequest> = (
  request: Request,
  block: Verified<Block.WithHashes>,
  options?: CallRunOptions
) => Effect.Effect<ProvenCall<O>, JsonRpcError | RefutedError | CallError>

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
  /** Runs a call. */
  readonly run: CallRun<CallOutcome.CallOutcome>
  /** Searches an amount of gas with which the call succeeds, by runs of it. The basis is the run with that gas. */
  readonly estimateGas: CallRun<CallOutcome.EstimateOutcome>
  /** Runs a call for its access list, and again with that list. The basis is the last run. */
  readonly createAccessList: CallRun<CallOutcome.AccessListOutcome>
  /**
   * Runs calls one after the other, in blocks that follow the given one. The overrides are in the request, not in the
   * options.
   */
  readonly simulate: CallRun<CallOutcome.SimulationOutcome, Simulation.SimulationRequest>
}

/**
 * The JSON-RPC method that each method of a runner answers.
 *
 * ```ts import.meta.vitest
 * import { CallEngine } from "@plumbline/eth-methods"
 *
 * CallEngine.methods.estimateGas // => "eth_estimateGas"
 * ```
 */
export const methods: Readonly<Record<Exclude<keyof CallRunner, "hint">, string>> = {
  run: "eth_call",
  estimateGas: "eth_estimateGas",
  createAccessList: "eth_createAccessList",
  simulate: "eth_simulateV1"
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
 * The engine that the proving clients use. Default: undefined. Then calls and simulations are unproven, and estimates and
 * access lists are the node's advice.
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
