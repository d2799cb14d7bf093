/**
 * Refusals of a known project. They are limited, recorded and charged like calls. Otherwise a project could cause any
 * number of them.
 */
import * as Effect from "effect/Effect"

import { membersOf } from "../accounts/limitedMembers.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import * as LimitExceeded from "../limits/LimitExceeded.ts"
import { overLimit, UNKNOWN_METHOD } from "../metering/Usage.ts"
import type { KnownProject } from "./requestAdmission.ts"
import type { WorkOutcome, Settlement } from "./settlement.ts"

/**
 * The bytes that were read of the request's body, and the bytes of the answer's body. Default for the answer: the size
 * of the refusal.
 */
export interface RefusalBytes {
  readonly bytesIn: number
  readonly bytesOut?: number | undefined
}

/** Records and charges a refusal. Returns the refusal to send: a different refusal if the project is over its limit. */
export const refuse = (
  settlement: Settlement,
  known: KnownProject,
  refusal: HttpRefusal.HttpRefusal,
  { bytesIn, bytesOut }: RefusalBytes
): Effect.Effect<HttpRefusal.HttpRefusal> => {
  const { config, holder, place, product, terms } = known
  const { costs, wording } = config.settings
  const outcome = (answer: HttpRefusal.HttpRefusal, limit?: string): WorkOutcome<HttpRefusal.HttpRefusal> => ({
    answer,
    usages: [
      {
        project: holder.project.id,
        product,
        network: place,
        method: known.method ?? UNKNOWN_METHOD,
        status: answer.status,
        key: holder.key.id,
        outcome: limit === undefined ? undefined : overLimit(limit),
        calls: 1,
        credits: terms.credits(costs, answer.status),
        bytesIn,
        bytesOut: bytesOut ?? HttpRefusal.body(answer).length
      }
    ]
  })
  return settlement.run({
    ...terms.limit(holder.project, costs),
    members: membersOf(holder, 1),
    work: () => Effect.succeed(outcome(refusal)),
    exceeded: (exceeded) => {
      const { error, headers, status } = LimitExceeded.answer(exceeded, wording)
      return outcome(terms.exceeded(status, error, headers), exceeded.limit)
    },
    closed: () => outcome(HttpRefusal.unavailable),
    unmetered: () => outcome(HttpRefusal.unavailable)
  })
}
