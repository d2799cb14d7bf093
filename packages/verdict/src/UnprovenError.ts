/** The error that a program gets for an unproven answer, if it accepts only proven values. */
import * as Data from "effect/Data"

import type { Claim } from "./Claim.ts"

/**
 * Nothing links the answer to a trusted hash, and nothing contradicts it. A contradiction is the error `RefutedError`.
 *
 * `subject` names the method, command, path or CID that was asked for. `claims` lists the unproven parts, with reasons.
 *
 * ```ts import.meta.vitest
 * import { Claim, Reason, UnprovenError } from "@plumbline/verdict"
 *
 * const NoTrust = Reason.kind("NoTrust", () => "no trusted hash was given")
 * const claims = [Claim.whole(NoTrust({}))]
 * new UnprovenError({ subject: "eth_getBalance", claims }).message // => "eth_getBalance: no trusted hash was given"
 * ```
 */
export class UnprovenError extends Data.TaggedError("UnprovenError")<{
  readonly subject: string
  readonly claims: ReadonlyArray<Claim>
}> {
  override get message(): string {
    return `${this.subject}: ${this.claims.map(said).join("; ")}`
  }
}

/** Returns the reason, preceded by the field unless the claim is about the whole value. */
const said = ({ about, field, reason }: Claim): string =>
  about === "Value" ? reason.sentence : `${field}: ${reason.sentence}`
