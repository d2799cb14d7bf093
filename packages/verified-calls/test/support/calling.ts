/** Calls through the proving client, over a made node. */
import { type Hash32, Keccak256 } from "@plumbline/codec"
import {
  type CallOutcome,
  type CallOverrides,
  type CallRequest,
  TrustedBlock,
  VerdictEthClient
} from "@plumbline/eth-methods"
import { Batching, Transport } from "@plumbline/jsonrpc-core"
import type { Verdict } from "@plumbline/verdict"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer } from "effect"

import type { CallEnvironment, CallFields } from "../../src/rules/callEnvironment.ts"
import * as MadeNode from "./madeNode.ts"

export const FROM = "0x00000000000000000000000000000000000f0001"
export const CONTRACT = "0x0000000000000000000000000000000000c0de01"
export const OTHER = "0x0000000000000000000000000000000000c0de02"

/** The environment of a call of the contract, in a block and with fields that no test looks at. */
export const environmentOf = ({
  chainId = 1n,
  hardfork = "prague",
  number = 1n,
  ...call
}: Partial<CallFields> &
  Pick<CallFields, "gasLimit"> &
  Partial<Pick<CallEnvironment, "chainId" | "hardfork">> & { readonly number?: bigint }): CallEnvironment => ({
  chainId,
  hardfork,
  block: {
    number,
    timestamp: 1n,
    coinbase: OTHER,
    gasLimit: 1n,
    difficulty: 0n,
    prevRandao: new Uint8Array(32),
    baseFee: 0n,
    blobBaseFee: 1n,
    parentHash: Keccak256.EMPTY
  },
  call: {
    from: FROM,
    to: CONTRACT,
    data: new Uint8Array(0),
    value: 0n,
    gasPrice: 0n,
    feeCap: 0n,
    tipCap: 0n,
    blobFeeCap: 0n,
    accessList: [],
    blobVersionedHashes: [],
    ...call
  }
})

export type Called = Verdict.Verdict<CallOutcome.CallOutcome>

/** Runs a program with a client over these answers; trust is not needed, because the block is named by its hash. */
export const using = <A, E>(
  answers: MadeNode.Answers,
  program: (eth: VerdictEthClient.Client) => Effect.Effect<A, E>,
  options: VerifiedCalls.VerifiedCallsOptions = { chain: Hardforks.always(MadeNode.CHAIN_ID, "prague") }
): Effect.Effect<{ readonly value: A; readonly packets: ReadonlyArray<ReadonlyArray<string>> }, E> => {
  const { layer, packets } = MadeNode.serve(answers)
  const eth = VerdictEthClient.layer().pipe(
    Layer.provide([Transport.through(layer, Batching.make()), TrustedBlock.layerNone(), VerifiedCalls.layer(options)])
  )
  return Effect.map(Effect.provide(VerdictEthClient.VerdictEthClient.use(program), eth), (value) => ({
    value,
    packets
  }))
}

export interface Setting extends MadeNode.MadeOptions {
  readonly accounts?: Readonly<Record<MadeNode.Text, MadeNode.MadeAccount>>
  readonly code?: MadeNode.Text
  readonly storage?: MadeNode.MadeAccount["storage"]
  readonly request?: CallRequest.CallRequest
  readonly stateOverride?: CallOverrides.StateOverride | undefined
  readonly blockOverride?: CallOverrides.BlockOverride | undefined
  readonly options?: VerifiedCalls.VerifiedCallsOptions
  readonly lie?: (method: string, answer: any, params: ReadonlyArray<any>) => unknown
}

/** Asks a client at the newest block of a made chain, which has a contract with this code. */
export const ask = Effect.fnUntraced(function* <A, E>(
  { accounts, fork = "prague", lie, ...setting }: Setting,
  program: (eth: VerdictEthClient.Client, request: CallRequest.CallRequest, block: Hash32.Hash32) => Effect.Effect<A, E>
) {
  const contract = {
    ...(setting.code === undefined ? {} : { code: setting.code }),
    ...(setting.storage === undefined ? {} : { storage: setting.storage })
  }
  const made = yield* Effect.promise(() => MadeNode.make({ [CONTRACT]: contract, ...accounts }, { ...setting, fork }))
  const answers: MadeNode.Answers = async (method, params) => {
    const answer = await made.answers(method, params)
    return lie === undefined ? answer : lie(method, answer, params)
  }
  const request = { to: CONTRACT, ...setting.request } as CallRequest.CallRequest
  return yield* using(
    answers,
    (eth) => program(eth, request, made.hash),
    setting.options ?? { chain: Hardforks.always(MadeNode.CHAIN_ID, fork) }
  )
})

/** Calls a contract with this code. */
export const call = (setting: Setting) =>
  ask(setting, (eth, request, block) => eth.call(request, block, setting.stateOverride, setting.blockOverride))

/** Returns the outcome of a proven call. */
export const outcome = (setting: Setting) =>
  Effect.map(call(setting), ({ value }) => {
    if (value._tag !== "VERIFIED") throw new Error(`the call is ${value._tag}`)
    return value.value
  })
