/** Our engine as a contender: calls through the proving client, which trusts the hash of the node's block. */
import { CallRequest, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

import { type Choices, gethChoices } from "./compare.ts"
import type { Contender } from "./differentialRun.ts"
import type { Node } from "./oracleNodes.ts"
import { haltOf, type Outcome, refusalOf, type Transaction } from "./outcome.ts"

/** The choices of our engine: those of geth, except for what it does not have. */
export const ourChoices: Choices = { ...gethChoices, declines: /KZG proofs|0x05 with numbers of more than 1024 bytes/u }

const decode = Schema.decodeUnknownSync(CallRequest.CallRequest)

/** Returns the contender over a node. A call that is not VERIFIED fails the run, unless the engine declines it. */
export const over = (node: Node): Effect.Effect<Contender> =>
  Effect.map(clientOf(node), (client) => ({
    side: { name: `ours on ${node.name}`, node, choices: ourChoices },
    ask: (transactions) =>
      Effect.runPromise(Effect.forEach(transactions, (transaction) => endIn(client, node, transaction)))
  }))

/** Returns a client with an empty cache, whose only trust is the hash of the node's head. */
export const clientOf = (node: Node): Effect.Effect<VerdictEthClient.Client> =>
  VerdictEthClient.VerdictEthClient.pipe(
    Effect.provide(
      VerdictEthClient.layer({ calls: VerifiedCalls.make({ chain: Hardforks.always(31_337n, node.hardfork) }) }).pipe(
        Layer.provide([HttpTransport.layer({ url: node.url }), TrustedBlock.layerPinned(node.head.hash as never)])
      )
    )
  )

const endIn = (client: VerdictEthClient.Client, { head }: Node, transaction: Transaction): Effect.Effect<Outcome> =>
  client.call(decode(transaction), { blockHash: head.hash as never }).pipe(
    Effect.map((verdict) => {
      if (verdict._tag !== "VERIFIED") throw new Error(`only claimed: ${JSON.stringify(transaction)}`)
      return outcomeOf(transaction, verdict.value)
    }),
    Effect.catchTag("UnprovenError", (error) =>
      Effect.succeed<Outcome>({ _tag: "declined", why: error.claims.map(({ reason }) => reason.sentence).join("; ") })
    ),
    Effect.orDie
  )

const outcomeOf = (transaction: Transaction, outcome: CallOutcome.CallOutcome): Outcome => {
  switch (outcome._tag) {
    case "Returned":
      return { _tag: "returned", data: outcome.data, gasUsed: outcome.gasUsed }
    case "Reverted":
      return { _tag: "reverted", data: outcome.data, gasUsed: outcome.gasUsed }
    case "Halted": {
      const { gasUsed, halt } = outcome
      const refusal = gasUsed === 0n ? refusalOf(halt) : undefined
      return refusal === undefined
        ? { _tag: "halted", by: haltOf(transaction.to, halt), gasUsed }
        : { _tag: "refused", by: refusal }
    }
  }
}
