/**
 * The tests that every transport over HTTP must pass. Call `suite` with a function that makes a transport for a URL.
 */
import { answers } from "./http/answers.ts"
import { batches } from "./http/batches.ts"
import { connections } from "./http/connections.ts"
import { requests } from "./http/requests.ts"
import { statuses } from "./http/statuses.ts"
import type { Make, Traits } from "./http/subject.ts"
import { times } from "./http/times.ts"

export const suite = (name: string, make: Make, traits: Traits): void => {
  for (const part of [requests, answers, statuses, batches, times, connections]) part({ name, make, traits })
}
