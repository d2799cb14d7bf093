/** Refusals of a known project: they are metered and limited as calls are, or they could be had without end. */
import * as Effect from "effect/Effect"

import * as LimitExceeded from "../LimitExceeded.ts"
import * as Refusal from "../Refusal.ts"
import { UNKNOWN_METHOD } from "../Usage.ts"
import type { Bill, Billing } from "./billing.ts"
import type { Known } from "./entrance.ts"
import * as IpfsRates from "./ipfsRates.ts"

/** Bytes of the body that were read, and of that of the answer, if it is another than the refusal's. */
export interface Bytes {
  readonly bytesIn: number
  readonly bytesOut?: number | undefined
}

/** Bills a refusal, and gives the one to answer with: a limit may be in its way. */
export const turnAway = (
  billing: Billing,
  known: Known,
  refusal: Refusal.Refusal,
  { bytesIn, bytesOut }: Bytes
): Effect.Effect<Refusal.Refusal> => {
  const { config, holder, place, product } = known
  const { costs, ipfs, wording } = config.settings
  const bill = (answer: Refusal.Refusal): Bill<Refusal.Refusal> => ({
    answer,
    usages: [
      {
        project: holder.project.id,
        product,
        network: place,
        method: UNKNOWN_METHOD,
        status: answer.status,
        key: holder.key.id,
        calls: 1,
        // IPFS has no credits.
        credits: product === "ipfs" ? 0 : costs.charged(0, answer.status),
        bytesIn,
        bytesOut: bytesOut ?? Refusal.body(answer).length
      }
    ]
  })
  const limit =
    product === "ipfs" && ipfs !== undefined
      ? { project: IpfsRates.limited(holder.project, undefined), credits: IpfsRates.COST }
      : { project: holder.project, credits: costs.charged(0, 400) }
  return billing.run({
    ...limit,
    work: () => Effect.succeed(bill(refusal)),
    exceeded: (exceeded) => {
      const { error, headers, status } = LimitExceeded.answer(exceeded, wording)
      const { message } = error
      // Clients of Kubo know no errors of JSON-RPC.
      return bill(
        product === "ipfs" ? Refusal.make(status, message, headers) : Refusal.withError(status, error, headers)
      )
    },
    closed: () => bill(Refusal.unavailable),
    unmetered: () => Refusal.unavailable
  })
}

/** What servers log for a caller that left before its answer. */
export const LEFT = 499
