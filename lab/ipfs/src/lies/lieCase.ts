/** Runs one client against one lie, and judges the outcome. */
import type { Contender } from "./ipfsContender.ts"
import { endless, type Seen } from "./ipfsObservation.ts"
import type { Lie } from "./lie.ts"
import * as Server from "./lyingServer.ts"
import { truth } from "./trueContent.ts"

/** The outcomes of a case, the same for every client. */
export const outcomes = ["right", "refused", "untyped error", "false answer", "no end"] as const
export type Outcome = (typeof outcomes)[number]

export interface Result {
  readonly outcome: Outcome
  /** The kind of the error, if the client failed with an error. */
  readonly kind: string
  /**
   * True if the outcome is wrong: a false answer, an error that only a person can understand, no end, or a refusal of
   * the truth.
   */
  readonly isFlawed: boolean
  /** The whole text of the error in a log. */
  readonly printed: string
}

/** The time that a case may take, in milliseconds. A client that is not done by then is stopped. */
const LIMIT = 4000

/**
 * The time that an honest case may take, in milliseconds. An honest answer in a thousand pieces takes long on a busy
 * machine. The tests still detect a client of ours that hangs, because it gives up after its own `PATIENCE`.
 */
const HONEST_LIMIT = 30_000

export const run = async (lie: Lie, contender: Contender): Promise<Result> => {
  const server = await Server.start(lie)
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  try {
    const limit = new Promise<Seen>((resolve) => {
      timer = setTimeout(() => resolve(endless), lie.honest === true ? HONEST_LIMIT : LIMIT)
    })
    return judge(lie, await Promise.race([contender.perform(lie.read, server.url, controller.signal), limit]))
  } finally {
    clearTimeout(timer)
    controller.abort()
    await server.close()
  }
}

const judge = (lie: Lie, seen: Seen): Result => {
  const result = (outcome: Outcome, more: Partial<Result> = {}): Result => ({
    outcome,
    kind: "",
    printed: "",
    isFlawed: FLAWED.has(outcome) || (lie.honest === true && outcome !== "right"),
    ...more
  })
  switch (seen._tag) {
    case "Value":
      return result(seen.shown === truth[lie.read] ? "right" : "false answer", { printed: seen.shown })
    case "Refused":
      return result("refused", seen)
    case "Untyped":
      return result("untyped error", seen)
    case "Endless":
      return result("no end")
  }
}

const FLAWED: ReadonlySet<Outcome> = new Set<Outcome>(["untyped error", "false answer", "no end"])
