/**
 * Compares eth_call with overrides or authorizations, eth_estimateGas, eth_createAccessList and eth_simulateV1, on our
 * engine and on a node.
 *
 * Two estimates need not be equal, because a node stops its search early. So ours is tried at the node: the call must
 * succeed there with the gas of our estimate, and fail with the gas that we say is too low. The same holds for the gas
 * of an access list: it is that of the node's own run with our list.
 */
import { CallOverrides, CallRequest, Simulation, type VerdictEthClient } from "@plumbline/eth-methods"
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import * as Random from "@plumbline/seeded/Random"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Hex, numberToHex, pad } from "viem"
import { mnemonicToAccount } from "viem/accounts"

import type { Choices } from "./compare.ts"
import type { Call } from "./draw/randomCalls.ts"
import { program } from "./draw/randomPrograms.ts"
import { address, slot, someBytes, word } from "./draw/values.ts"
import { clientOf } from "./engineContender.ts"
import type { Node } from "./oracleNodes.ts"
import type { Transaction } from "./outcome.ts"
import { type Answer, one } from "./rpc.ts"

/** Overrides in the form of requests. */
export interface Overrides {
  readonly state: Readonly<Record<Hex, Readonly<Record<string, unknown>>>>
  readonly block?: Readonly<Record<string, Hex>>
}

/** What was compared, by method. */
export interface MethodReport {
  readonly differences: ReadonlyArray<string>
  /** Answers that agree, and requests that the engine declines, as its choices foretell. */
  readonly equal: number
  readonly declined: number
}

const request = Schema.decodeUnknownSync(CallRequest.CallRequest)
const stateOf = Schema.decodeUnknownSync(CallOverrides.StateOverride)
const blockOf = Schema.decodeUnknownSync(CallOverrides.BlockOverride)

/** Draws overrides of the accounts that a call is about, and of others. */
export const drawOverrides = (random: Random.Random, { from, to }: Transaction): Overrides => {
  const hexWord = (value: bigint): Hex => pad(numberToHex(value), { size: 32 })
  const slots = () =>
    Object.fromEntries(
      Array.from({ length: Random.int(random, 4) }, () => [
        hexWord(slot(random)),
        hexWord(Random.chance(random, 0.3) ? 0n : word(random))
      ])
    )
  const account = (): Record<string, unknown> => ({
    ...(Random.chance(random, 0.4) ? { balance: numberToHex(word(random) >> 128n) } : {}),
    ...(Random.chance(random, 0.3) ? { nonce: numberToHex(Random.int(random, 300)) } : {}),
    ...(Random.chance(random, 0.3) ? { code: Random.chance(random, 0.8) ? program(random) : someBytes(random) } : {}),
    ...Random.pick(random, [() => ({}), () => ({ state: slots() }), () => ({ stateDiff: slots() })])()
  })
  const isPrecompiled = (at: Hex): boolean => BigInt(at) <= 0x100n
  const candidates = [to, from, address(random)].filter(
    (at): at is Hex => at !== undefined && !isPrecompiled(at) && Random.chance(random, 0.6)
  )
  return { state: Object.fromEntries(candidates.map((at) => [at.toLowerCase(), account()])) }
}

type Compared =
  | { readonly _tag: "equal" }
  | { readonly _tag: "declined" }
  | { readonly _tag: "different"; readonly text: string }

const EQUAL: Compared = { _tag: "equal" }
const different = (ours: string, theirs: string): Compared => ({
  _tag: "different",
  text: `ours: ${ours}; the node: ${theirs}`
})

/** Compares one request. */
export type Comparison = (
  client: VerdictEthClient.Client,
  node: Node,
  choices: Choices,
  call: Call,
  random: Random.Random,
  others: ReadonlyArray<Call>
) => Promise<Compared>

/** Asks our engine. The answer must be VERIFIED, or declined as the choices foretell. */
const ours = <O extends CallOutcome.AnyOutcome, E extends { readonly _tag: string; readonly message: string }>(
  verdict: Effect.Effect<{ readonly _tag: string; readonly value: O }, E>,
  choices: Choices
): Promise<O | undefined> =>
  Effect.runPromise(
    Effect.matchEffect(verdict, {
      onFailure: (error) =>
        error._tag === "UnprovenError" && choices.declines?.test(error.message) === true
          ? Effect.undefined
          : Effect.die(error),
      onSuccess: ({ _tag, value }) =>
        _tag === "VERIFIED" ? Effect.succeed(value) : Effect.die(new Error("only claimed"))
    })
  )

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? numberToHex(part) : part)).slice(0, 400)

const isRevert = (answer: Answer, data: Hex): boolean =>
  "error" in answer && answer.error.code === 3 && (answer.error.data ?? "0x") === data

/** True if the node fails too, for a reason other than a revert. */
const fails = (answer: Answer | undefined): boolean => answer !== undefined && "error" in answer

/** Compares the call under overrides: its bytes, its revert, or that it fails. */
export const overriddenCall: Comparison = async (client, node, choices, { transaction }, random) => {
  const { block, state } = drawOverrides(random, transaction)
  const outcome = await ours(
    client.call(
      request(transaction),
      { blockHash: node.head.hash as never },
      stateOf(state),
      block === undefined ? undefined : blockOf(block)
    ),
    choices
  )
  if (outcome === undefined) return { _tag: "declined" }
  const [answer] = await node.send([["eth_call", transaction, node.head.number, state]])
  const isSame =
    outcome._tag === "Returned"
      ? "result" in answer! && answer.result === outcome.data
      : outcome._tag === "Reverted"
        ? isRevert(answer!, outcome.data)
        : fails(answer) && !("error" in answer! && answer.error.code === 3)
  return isSame ? EQUAL : different(shown(outcome), `${shown(answer)} with ${shown(state)}`)
}

/** Draws a list of authorizations: most are valid, the others have a wrong chain, nonce or signature. */
const drawAuthorizations = async (random: Random.Random, node: Node): Promise<ReadonlyArray<object>> => {
  const list: Array<object> = []
  const nonces = new Map<Hex, number>()
  for (let left = 1 + Random.int(random, 3); left > 0; left--) {
    const signer = Random.pick(random, signers)
    let nonce = nonces.get(signer.address)
    if (nonce === undefined) {
      nonce = Number(await one(node.send, "eth_getTransactionCount", signer.address, node.head.number))
    }
    const signed = await signer.signAuthorization!({
      chainId: Random.pick(random, [0, 31_337, 31_337, 31_337, 1]),
      contractAddress: Random.chance(random, 0.15) ? `0x${"0".repeat(40)}` : address(random),
      nonce: nonce + (Random.chance(random, 0.15) ? 1 : 0)
    })
    nonces.set(signer.address, nonce + 1)
    list.push({
      chainId: numberToHex(signed.chainId),
      address: signed.address,
      nonce: numberToHex(signed.nonce),
      yParity: numberToHex(Random.chance(random, 0.1) ? 1 - signed.yParity! : signed.yParity!),
      r: numberToHex(BigInt(signed.r)),
      s: numberToHex(BigInt(signed.s))
    })
  }
  return list
}

/** Accounts whose keys are known: those of the phrase that all development nodes share. */
const signers = Array.from({ length: 5 }, (_, addressIndex) =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex })
)

/** Compares a call with authorizations (EIP-7702) to one of their signers: its end, and the gas that it uses. */
export const authorizedCall: Comparison = async (client, node, choices, { transaction }, random) => {
  const { gasPrice: _gasPrice, ...rest } = transaction
  const asked = {
    ...rest,
    to: Random.chance(random, 0.7) ? Random.pick(random, signers).address : (transaction.to ?? signers[0]!.address),
    authorizationList: await drawAuthorizations(random, node)
  }
  const outcome = await ours(client.call(request(asked), { blockHash: node.head.hash as never }), choices)
  if (outcome === undefined) return { _tag: "declined" }
  const [answer, trace] = await node.send([
    ["eth_call", asked, node.head.number],
    ["debug_traceCall", asked, node.head.number, { tracer: "callTracer", tracerConfig: { onlyTopCall: true } }]
  ])
  const isSame =
    outcome._tag === "Returned"
      ? "result" in answer! && answer.result === outcome.data
      : outcome._tag === "Reverted"
        ? isRevert(answer!, outcome.data)
        : fails(answer)
  const isPriced = "error" in trace! ? outcome.gasUsed === 0n : BigInt(trace!.result.gasUsed) === outcome.gasUsed
  return isSame && isPriced ? EQUAL : different(shown(outcome), `${shown(answer)} ${shown(trace)} of ${shown(asked)}`)
}

/** Compares an estimate. */
export const estimate: Comparison = async (client, node, choices, { transaction }) => {
  const outcome = await ours(client.estimateGas(request(transaction), { blockHash: node.head.hash as never }), choices)
  if (outcome === undefined) return { _tag: "declined" }
  const { gas: _gas, ...rest } = transaction
  const [estimated, called] = await node.send([
    ["eth_estimateGas", transaction, node.head.number],
    ["eth_call", transaction, node.head.number]
  ])
  if (outcome._tag === "Reverted") {
    return isRevert(estimated!, outcome.data) ? EQUAL : different(shown(outcome), shown(estimated))
  }
  if (outcome._tag === "Halted") {
    // anvil takes a call without data for a transfer, and does not run it
    const isUnrun = (transaction.data ?? "0x") === "0x" && fails(called)
    return fails(estimated) || isUnrun ? EQUAL : different(shown(outcome), shown(estimated))
  }
  const at = (gas: bigint) => ["eth_call", { ...rest, gas: numberToHex(gas) }, node.head.number] as const
  const [enough, less] = await node.send([at(outcome.gas), at(outcome.tooLow)])
  if (!("result" in enough!) || "result" in less!) {
    return different(shown(outcome), `with it ${shown(enough)}, below ${shown(less)}`)
  }
  return outcome.gas - outcome.tooLow <= outcome.gas / 66n || outcome.gas - outcome.tooLow === 1n
    ? EQUAL
    : different(shown(outcome), "a wider range than 1.5 %")
}

/** Compares an access list: the gas is that of the node with our list, and its slots are those of the node's own list. */
export const accessList: Comparison = async (client, node, choices, { transaction }) => {
  const outcome = await ours(
    client.createAccessList(request(transaction), { blockHash: node.head.hash as never }),
    choices
  )
  if (outcome === undefined) return { _tag: "declined" }
  const [made] = await node.send([["eth_createAccessList", transaction, node.head.number]])
  if (outcome._tag === "Halted") return fails(made) ? EQUAL : different(shown(outcome), shown(made))
  const { accessList, gasUsed } = outcome.list
  const [trace] = await node.send([
    [
      "debug_traceCall",
      { ...transaction, accessList },
      node.head.number,
      { tracer: "callTracer", tracerConfig: { onlyTopCall: true } }
    ]
  ])
  if (!("result" in trace!) || BigInt(trace.result.gasUsed) !== gasUsed) {
    return different(shown(outcome.list), shown(trace))
  }
  return EQUAL
}

const slotsOf = (list: ReadonlyArray<{ readonly address: string; readonly storageKeys: ReadonlyArray<string> }>) =>
  new Set(list.flatMap(({ address, storageKeys }) => storageKeys.map((key) => `${address.toLowerCase()} ${key}`)))

/** Slots that the ends of frames without gas may add to geth's list. */
const UNPAID = 2

/** Compares the slots of an access list with those of geth's. Addresses without slots differ by choice. */
export const accessSlots: Comparison = async (client, node, choices, { transaction }) => {
  const outcome = await ours(
    client.createAccessList(request(transaction), { blockHash: node.head.hash as never }),
    choices
  )
  if (outcome === undefined || outcome._tag === "Halted") return { _tag: "declined" }
  const [made] = await node.send([["eth_createAccessList", transaction, node.head.number]])
  // geth names a price of its own, which not every sender can pay
  if (!("result" in made!)) return { _tag: "declined" }
  const [one, other] = [slotsOf(outcome.list.accessList), slotsOf(made.result.accessList)]
  if (![...one].every((slot) => other.has(slot))) return different(shown(outcome.list), shown(made))
  // geth also lists the slot of an instruction that could not be paid for, with which a frame ends
  return one.size === other.size
    ? EQUAL
    : other.size - one.size <= UNPAID
      ? { _tag: "declined" }
      : different(shown(outcome.list), shown(made))
}

/** Draws a simulation of calls, of which the first is given. */
const drawSimulation = (random: Random.Random, first: Call, others: ReadonlyArray<Call>): object => {
  const calls = () =>
    Array.from({ length: Random.int(random, 4) }, () => Random.pick(random, others))
      .filter(({ choice }) => choice === undefined)
      .map(({ transaction }) => transaction)
  const blocks = Array.from({ length: 1 + Random.int(random, 3) }, (_, index) => {
    const made = [...(index === 0 ? [first.transaction] : []), ...calls()]
    return {
      calls: made,
      ...(Random.chance(random, 0.5) && made[0] !== undefined
        ? { stateOverrides: drawOverrides(random, made[0]).state }
        : {}),
      ...(Random.chance(random, 0.3) ? { blockOverrides: { feeRecipient: address(random) } } : {}),
      ...(Random.chance(random, 0.2) ? { blockOverrides: { baseFeePerGas: numberToHex(Random.int(random, 9)) } } : {}),
      // room for each call, whose own limit counts in full
      ...(Random.chance(random, 0.1) ? { blockOverrides: { gasLimit: "0x2faf080" } } : {})
    }
  })
  return { blockStateCalls: blocks, traceTransfers: Random.chance(random, 0.5) }
}

const payload = Schema.decodeUnknownSync(Simulation.SimulationRequest)

/** The parts of a simulated block that do not depend on the state roots of blocks. */
const simulatedText = (blocks: ReadonlyArray<any>): string =>
  JSON.stringify(
    blocks.map(({ baseFeePerGas, calls, gasLimit, gasUsed, miner, mixHash, number, timestamp }) => ({
      fields: { baseFeePerGas, gasLimit, gasUsed, miner: miner.toLowerCase(), mixHash, number, timestamp },
      calls: calls.map(({ error, gasUsed, logs, returnData, status }: any) => ({
        gasUsed,
        returnData,
        status,
        // geth 1.16.9 has -32000 where execution-apis has 3
        failed: error === undefined ? undefined : error.code === -32_015 ? "halted" : "reverted",
        logs: logs.map(({ address, data, topics, transactionIndex }: any) => ({
          address: address.toLowerCase(),
          data,
          topics,
          transactionIndex
        }))
      }))
    })),
    (_, part) => (typeof part === "bigint" ? numberToHex(part) : part)
  )

/** Compares a simulation with the node's, without what depends on state roots. */
export const simulation: Comparison = async (client, node, choices, call, random, others) => {
  const drawn = drawSimulation(random, call, others)
  const outcome = await ours(client.simulate(payload(drawn), { blockHash: node.head.hash as never }), {
    ...choices,
    declines: new RegExp(`${choices.declines?.source}|${SIMULATION_DECLINES.source}`, "u")
  })
  if (outcome === undefined) return { _tag: "declined" }
  const [answer] = await node.send([["eth_simulateV1", drawn, node.head.number]])
  if (outcome._tag === "Refused") {
    return "error" in answer! && (answer.error.code === outcome.code || answer.error.code === -32_603)
      ? EQUAL
      : different(shown(outcome), `${shown(answer)} of ${shown(drawn)}`)
  }
  if (!("result" in answer!)) return different(shown(outcome), `${shown(answer)} of ${shown(drawn)}`)
  const [one, other] = [simulatedText(outcome.blocks), simulatedText(answer.result)]
  if (one === other) return EQUAL
  const at = [...one].findIndex((char, index) => char !== other[index])
  const near = (text: string): string => text.slice(Math.max(0, at - 150), at + 150)
  return different(near(one), `${near(other)} of ${shown(drawn)}`)
}

/** What a simulation of ours does not have. */
const SIMULATION_DECLINES =
  /hash of a simulated block|a queue of requests|write to a system contract|runs SELFDESTRUCT|BLOBBASEFEE|override of a system contract/u

/** Compares the requests of a seed. */
export const run = async (
  comparison: Comparison,
  node: Node,
  choices: Choices,
  seed: number,
  calls: ReadonlyArray<Call>
): Promise<MethodReport> => {
  const client = await Effect.runPromise(clientOf(node))
  const differences: Array<string> = []
  let [equal, declined] = [0, 0]
  for (const [index, call] of calls.entries()) {
    // the end of such a call is a choice of the node
    if (call.choice !== undefined) continue
    const compared = await comparison(client, node, choices, call, Random.make(seed * 1_000_003 + index), calls)
    if (compared._tag === "equal") equal++
    else if (compared._tag === "declined") declined++
    else
      differences.push(`call ${index} of seed ${seed} (${call.kind}): ${shown(call.transaction)}\n  ${compared.text}`)
  }
  return { differences, equal, declined }
}

/** The comparisons that every node has. */
export const comparisons = { overriddenCall, authorizedCall, estimate, accessList } as const

/** Those that need geth: anvil has rules of its own for simulations, and lists other slots. */
export const gethComparisons = { accessSlots, simulation } as const
