/** The error that a program gets for an unproven answer, if it accepts only proven values. */
import * as Data from "effect/Data"

import type { Claim } from "./Claim.ts"

/**
 * Nothing ties the answer to what is trusted. Nothing contradicts it either: that would be `Refuted`.
 *
 * `subject` names what was asked: a method, a command, a path or a CID. `claims` says what is not proven and why.
 *
 * ```ts import.meta.vitest
 * import { Claim, Reason, Unproven } from "@plumbline/verdict"
 *
 * const NoTrust = Reason.kind("NoTrust", () => "no trusted hash was given")
 * const claims = [Claim.whole(NoTrust({}))]
 * new Unproven({ subject: "eth_getBalance", claims }).message // => "eth_getBalance: no trusted hash was given"
 * ```
 */
export class Unproven extends Data.TaggedError("Unproven")<{
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
