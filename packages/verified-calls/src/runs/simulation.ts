/**
 * Runs calls in blocks that follow a proven block, by the rules of eth_simulateV1.
 *
 * The blocks are made up: their fields are the caller's, or follow from the block before. Their state roots and hashes are
 * not worked out, so a call that reads such a hash is refused.
 *
 * Sources: execution-apis (eth_simulateV1), geth (internal/ethapi/simulate.go).
 */
import type { CallBasis, ProvenCall } from "@plumbline/eth-methods/call/CallEngine"
import type { Refused, SimulationOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type * as BlockOverrides from "@plumbline/eth-methods/model/CallOverrides"
import type * as Simulation from "@plumbline/eth-methods/model/Simulation"
import * as Effect from "effect/Effect"

import type { SimulatedBlockPlan, SimulationPlan } from "../evm/simulateOnce.ts"
import * as CallEnvironment from "../rules/callEnvironment.ts"
import { unsupported } from "../rules/callFailures.ts"
import * as CallOverrides from "../rules/callOverrides.ts"
import * as Hardforks from "../rules/Hardforks.ts"
import * as ProtocolContracts from "../rules/protocolContracts.ts"
import type { ReadFailure } from "../state/provenReads.ts"
import * as SimulatedView from "../state/simulatedView.ts"
import * as StateView from "../state/stateView.ts"
import * as Session from "./runSession.ts"

/** Maximum number of simulated blocks, with those in gaps between numbers, as in geth. */
const MAX_BLOCKS = 256n

/** Seconds between two simulated blocks, as in geth. */
const SECONDS = 12n

/** Runs the simulation. */
export const simulate = Effect.fnUntraced(function* (
  session: Session.Session,
  request: Simulation.SimulationRequest
): Effect.fn.Return<ProvenCall<SimulationOutcome>, ReadFailure> {
  const { block, bounds } = session
  const { value: header } = block
  const number = header.number!
  if (request.returnFullTransactions === true) {
    return yield* unsupported("whole transactions in the blocks of a simulation")
  }
  const ofOwnFees = Hardforks.hasOwnContracts(session.chain.chainId) ? feesOf(request) : undefined
  if (ofOwnFees !== undefined) {
    return yield* unsupported(`${ofOwnFees} on another chain than Ethereum, which may have fees of its own`)
  }
  const ordered = inOrder(request.blockStateCalls, { number, timestamp: header.timestamp })
  const basis = (reads: StateView.Reads, rest: Pick<CallBasis, "hardfork" | "gasUsed" | "overridden">): CallBasis =>
    Session.basisOf(session, reads, { ...rest, gasLimit: bounds.gas })
  const real = yield* Effect.fromResult(CallEnvironment.ofBlock(header, session.chain))
  if (ordered._tag === "Refused") {
    const none = { hardfork: real.hardfork, gasUsed: 0n, overridden: undefined }
    return { outcome: ordered, basis: basis(StateView.noReads(), none) }
  }

  const blocks: Array<SimulatedBlockPlan> = []
  let above: BlockOverrides.BlockOverride = { prevRandao: NO_RANDAO }
  for (const { override, source } of ordered.blocks) {
    const { feeRecipient, gasLimit } = { ...above, ...override }
    // the producer and the gas limit are those of the block before
    above = {
      prevRandao: NO_RANDAO,
      ...(feeRecipient === undefined ? {} : { feeRecipient }),
      ...(gasLimit === undefined ? {} : { gasLimit })
    }
    const environment = yield* Effect.fromResult(
      CallEnvironment.ofBlock(header, session.chain, { ...above, ...override })
    )
    const changes = yield* Effect.fromResult(CallOverrides.read(source.stateOverrides, bounds))
    if (changes.some(({ address }) => ProtocolContracts.all.includes(address))) {
      return yield* unsupported("an override of a system contract in a simulation")
    }
    blocks.push({
      // the price of blobs would follow from the chain's schedule, of which only the fraction is known here
      environment: { ...environment, block: { ...environment.block, blobBaseFee: override.blobBaseFee } },
      hasBaseFee: override.baseFeePerGas !== undefined,
      changes,
      calls: source.calls ?? []
    })
  }
  const plan: SimulationPlan = {
    blocks,
    base: header,
    parentHash: header.hash!,
    validation: request.validation === true,
    traceTransfers: request.traceTransfers === true,
    bounds
  }
  const first = firstReads(blocks)
  if (!StateView.isNone(first)) yield* session.acquire(first)
  const { ended, reads } = yield* session.settle(
    async (view, signal) => {
      const { simulateOnce } = await import("../evm/simulateOnce.ts")
      return simulateOnce(plan, SimulatedView.make(view, { number, hash: header.hash! }), signal)
    },
    (ended) => (ended._tag === "Blocks" ? ended.gasUsed : 0n)
  )
  return {
    outcome: ended._tag === "Refused" ? ended : { _tag: "Simulated", blocks: ended.blocks },
    basis: basis(reads, {
      hardfork: blocks[0]?.environment.hardfork ?? real.hardfork,
      gasUsed: ended._tag === "Blocks" ? ended.gasUsed : 0n,
      overridden: overriddenBy(request.blockStateCalls, blocks)
    })
  }
})

/**
 * Returns what in a simulation depends on fees: who gets them, and with validation the base fee of the next block. A chain
 * of the OP stack pays further accounts, and takes fees for L1 and its operator. Undefined if nothing does.
 */
const feesOf = ({ blockStateCalls, validation }: Simulation.SimulationRequest): string | undefined => {
  if (validation === true) return "a simulation with validation"
  const pays = blockStateCalls.some(({ calls = [] }) =>
    calls.some(({ gasPrice = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }) =>
      [gasPrice, maxFeePerGas, maxPriorityFeePerGas].some((price) => price > 0n)
    )
  )
  return pays ? "a simulated call that pays for its gas" : undefined
}

/** The randomness of a simulated block, unless the caller gives it. */
const NO_RANDAO = `0x${"0".repeat(64)}` as const

type Source = Simulation.SimulationRequest["blockStateCalls"][number]

/** A block of the request, or an empty one that fills a gap, with its number and time. */
interface Ordered {
  readonly source: Source
  readonly override: BlockOverrides.BlockOverride & { readonly number: bigint; readonly time: bigint }
}

/** Gives each block its number and time. Both must rise; a gap between numbers is filled with empty blocks. */
const inOrder = (
  sources: ReadonlyArray<Source>,
  base: { readonly number: bigint; readonly timestamp: bigint }
): { readonly _tag: "Ordered"; readonly blocks: ReadonlyArray<Ordered> } | Refused => {
  const blocks: Array<Ordered> = []
  let { number, timestamp } = base
  for (const source of sources) {
    const own = source.blockOverrides ?? {}
    const next = own.number ?? number + 1n
    if (next <= number) return refused(-38_020, `block numbers must be in order: ${next} <= ${number}`)
    if (next - base.number > MAX_BLOCKS) return refused(-38_026, "too many blocks")
    while (number + 1n < next) {
      number += 1n
      timestamp += SECONDS
      blocks.push({ source: {}, override: { number, time: timestamp } })
    }
    const time = own.time ?? timestamp + SECONDS
    if (time <= timestamp) return refused(-38_021, `block timestamps must be in order: ${time} <= ${timestamp}`)
    number = next
    timestamp = time
    blocks.push({ source, override: { ...own, number, time } })
  }
  return { _tag: "Ordered", blocks }
}

const refused = (code: number, message: string): Refused => ({ _tag: "Refused", code, message })

/** Maximum number of accounts that are proven before the first run. */
const FIRST = 256

/** Returns the senders and receivers of the calls, so that one round mostly gives them all. */
const firstReads = (blocks: ReadonlyArray<SimulatedBlockPlan>): StateView.Reads => {
  const reads = StateView.noReads()
  const given = new Set(
    blocks.flatMap(({ changes }) => changes.filter(CallOverrides.isGiven).map(({ address }) => address))
  )
  const addresses = blocks.flatMap(({ calls }) =>
    calls.flatMap(({ from, to }) => [from ?? CallEnvironment.NO_SENDER, to ?? undefined])
  )
  for (const address of new Set(addresses.map((address) => address?.toLowerCase()))) {
    if (address === undefined || given.has(address) || reads.accounts.size >= FIRST) continue
    StateView.addAccount(reads, address)
    reads.codes.add(address)
  }
  return reads
}

/** Returns what the caller altered in all blocks together. */
const overriddenBy = (
  sources: ReadonlyArray<Source>,
  blocks: ReadonlyArray<SimulatedBlockPlan>
): CallBasis["overridden"] => {
  const fields = Object.assign({}, ...sources.map(({ blockOverrides }) => blockOverrides ?? {}))
  return CallOverrides.overridden(
    blocks.flatMap(({ changes }) => changes),
    fields
  )
}
