/** Turns the result of an IPFS verifier into an outcome. */
import { Effect, Exit, Cause } from "effect"

import type { Outcome } from "../fuzzTarget.ts"
import { accepted, claimed, refused } from "../fuzzTarget.ts"
import type { Difference } from "../leaves.ts"

/** Returns the name of a failure: its tag, and the check or detail that it names. */
export const nameOf = (failure: unknown): string => {
  const error = failure as Readonly<Record<string, unknown>>
  const detail = [error["check"], error["detail"], error["bound"], error["reason"]].find(
    (member): member is string => typeof member === "string"
  )
  const reason = error["reason"]
  const inner =
    typeof reason === "object" && reason !== null
      ? ["_tag", "detail"].map((name) => text((reason as Readonly<Record<string, unknown>>)[name])).join(" ")
      : detail
  // Numbers and CIDs are left out of the name, because they differ from case to case.
  return `${text(error["_tag"])} ${inner ?? ""}`
    .replaceAll(/\d+/gu, "#")
    .replaceAll(/b[a-z0-9#]{20,}/gu, "CID")
    .trim()
    .slice(0, 80)
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Runs an effect. A typed failure is a refusal, a defect is thrown, and the oracle judges a success. */
export const judged = async <A, E>(
  effect: Effect.Effect<A, E>,
  oracle: (value: A) => Difference | undefined
): Promise<Outcome> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return accepted(oracle(exit.value))
  const error = Cause.squash(exit.cause)
  if (Cause.hasDies(exit.cause)) throw error
  const tag = (error as { readonly _tag?: unknown })._tag
  return tag === "UnprovenError" ? claimed : refused(nameOf(error))
}
