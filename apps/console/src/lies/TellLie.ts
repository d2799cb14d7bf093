/**
 * Tells a lie of the catalogue: changes one true answer of the service before the page's verifier reads it. All other
 * answers stay true.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as SentTransaction from "@plumbline/eth-methods/model/SentTransaction"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import { type Middleware, oneByOne, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type { Lie } from "@plumbline/tamper/lie/Lie"
import * as Tamper from "@plumbline/tamper/tell/Tamper"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as GatherEvidence from "../chain/GatherEvidence.ts"
import { NetworkClients } from "../chain/NetworkClients.ts"
import * as Proving from "../chain/Proving.ts"
import * as AnswerDifference from "./AnswerDifference.ts"
import type { LieScene } from "./LieScenarios.ts"
import * as SimulatedFault from "./simulatedFault.ts"

/** A lie that was told, and the verifier's outcome. */
export interface LieOutcome {
  readonly question: Proving.RpcQuestion
  readonly outcome: Proving.ProvingOutcome
  /** The places in the answers that the lie changed, with the true values. Empty for a fault of the connection. */
  readonly changes: ReadonlyArray<AnswerDifference.AnswerDifference>
  /** The number of all changed places, listed or not. */
  readonly changed: number
  /** The bytes for the microscope, gathered through the lie; undefined if the scene has no subject. */
  readonly gathered: GatherEvidence.GatheredEvidence | undefined
}

/** Maximum number of changed places that are listed. */
const MAX_CHANGES = 6

/** Tells a lie in its scene, and returns the verifier's outcome. */
export const tell = Effect.fnUntraced(function* (
  lie: Lie,
  scene: LieScene
): Effect.fn.Return<LieOutcome, never, NetworkClients | Transport> {
  const chain = yield* NetworkClients
  const honest = standIn(yield* Transport)
  const told: Array<Tamper.ToldLie> = []
  const { how } = lie
  const liar =
    how._tag === "Line"
      ? yield* faulty(how.fault, honest)
      : Tamper.make(lie, { onTold: (one) => told.push(one) })(honest)
  const trust = yield* Effect.provide(
    TrustedBlock.TrustedBlock,
    TrustedBlock.layerPinned(Hash32.fromHexUnsafe(scene.trusted.hash))
  )
  const eth = yield* Effect.provideService(EthClient.make, Transport, liar)
  const lied = { ...chain, eth, trust, verdicts: Effect.succeed(VerdictEthClient.make(eth, trust)) }
  const answers = yield* Effect.provideService(
    Effect.provideService(Proving.askAll(scene.questions, { runsCalls: false }), NetworkClients, lied),
    Transport,
    liar
  )
  const worst = answers.find(({ outcome }) => outcome._tag !== "VERIFIED") ?? answers.at(-1)!
  const first = told.find(({ method }) => method === worst.question.method) ?? told[0]
  const changes = first === undefined ? [] : AnswerDifference.between(first.truth, first.told)
  const gathered =
    scene.subject === undefined
      ? undefined
      : Result.getOrUndefined(
          yield* Effect.result(
            Effect.provideService(GatherEvidence.gather(scene.trusted.hash, scene.subject), NetworkClients, lied)
          )
        )
  return {
    question: worst.question,
    outcome: worst.outcome,
    changes: changes.slice(0, MAX_CHANGES),
    changed: changes.length,
    gathered
  }
})

/** Returns a connection to a node that has the fault. */
const faulty = (fault: Parameters<typeof SimulatedFault.fetchOf>[0], node: Transport["Service"]) =>
  HttpTransport.make({
    url: "http://liar.invalid/",
    fetch: SimulatedFault.fetchOf(fault, node),
    timeout: SimulatedFault.TIMEOUT,
    maxBytes: SimulatedFault.MAX_BYTES
  })

/** The result that the page makes up for `eth_call` on a network that runs no code. */
const WORD = `0x${"00".repeat(31)}01`

/** Answers in place of the service if a question would change the chain, or if the network runs no code. */
const standIn: Middleware = (node) => {
  const call: Transport["Service"]["call"] = (asked) => {
    if (asked.method === "eth_sendRawTransaction") {
      const [raw] = asked.params
      return Effect.sync(() => SentTransaction.hash(Hex.toBytesUnsafe(raw as `0x${string}`)))
    }
    return asked.method === "eth_call" ? Effect.orElseSucceed(node.call(asked), () => WORD) : node.call(asked)
  }
  return { call, callAll: oneByOne(call) }
}
