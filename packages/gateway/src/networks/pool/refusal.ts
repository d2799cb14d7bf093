/**
 * Separates errors that answer the caller's question from errors about the node itself, after which another node is
 * asked.
 *
 * `RemoteKind` classifies the texts and codes of nodes and providers; this module decides what follows from each kind.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as RemoteKind from "@plumbline/jsonrpc-core/error/RemoteKind"
import * as RetryAfter from "@plumbline/jsonrpc-core/transport/RetryAfter"
import * as Duration from "effect/Duration"

import { UpstreamFault } from "../UpstreamFault.ts"
import type { Kind, Trait } from "./question.ts"

/** The consequences of a kind of error. */
export interface Consequence {
  /** The kinds of calls for which another node is asked. */
  readonly another: ReadonlySet<Kind>
  /** Milliseconds for which the node is asked after the others, if it names no time itself. They double each time. */
  readonly rest?: number
  /** The fact that is remembered of the node: it lacks the method, or the block's history. */
  readonly learned?: "method" | "history"
  /** True if only a node that may be further on can know more. */
  readonly isOfHead?: boolean
  /** True if the error is a state of the node, for its operator. */
  readonly isState?: boolean
}

const READS: ReadonlySet<Kind> = new Set<Kind>(["read"])

/** Reads, and transactions that the node has certainly not taken. */
const NOT_TAKEN: ReadonlySet<Kind> = new Set<Kind>(["read", "submission"])

/** The kinds after which another node is asked. Every other kind is an answer to the question. */
const consequences: { readonly [Kind in RemoteKind.RemoteKind]?: Consequence } = {
  rateLimited: { another: NOT_TAKEN, rest: 1000, isState: true },
  quotaExceeded: { another: NOT_TAKEN, rest: 30_000, isState: true },
  unauthorized: { another: NOT_TAKEN, isState: true },
  unavailable: { another: READS, rest: 1000, isState: true },
  timedOut: { another: READS, isState: true },
  internal: { another: READS, isState: true },
  methodNotFound: { another: NOT_TAKEN, learned: "method" },
  notFound: { another: READS, isOfHead: true },
  pruned: { another: READS, learned: "history" }
}

/** An error object after which another node may be asked. */
export interface Refusal extends Consequence {
  readonly error: ErrorObject
  readonly kind: RemoteKind.RemoteKind
  /** Milliseconds for which the node asked to be left alone. */
  readonly told: number | undefined
  /**
   * True if the error may be remembered of the node. Callers, and contracts that they call, write texts that a node
   * repeats in its errors; a code is the node's own.
   */
  readonly isSure: boolean
}

/** Returns what an error object says about its node; undefined if it is an answer, and for a fault. */
export const of = (error: ErrorObject | UpstreamFault, trait: Trait): Refusal | undefined => {
  if (error instanceof UpstreamFault) return undefined
  const kind = RemoteKind.of(error)
  const consequence = consequences[kind]
  if (consequence === undefined) return undefined
  const isSure = trait.hasNodesWords || ownCodes[kind]?.has(error.code) === true
  const told = isSure && consequence.rest !== undefined ? RetryAfter.ofError(error) : undefined
  return { ...consequence, error, kind, isSure, told: told === undefined ? undefined : Duration.toMillis(told) }
}

/** Codes whose meaning does not depend on the text: no node uses them for the outcome of a contract. */
const ownCodes: { readonly [Kind in RemoteKind.RemoteKind]?: ReadonlySet<number> } = {
  rateLimited: new Set([429, -32_005, -33_200, -33_300]),
  quotaExceeded: new Set([402, -33_000]),
  methodNotFound: new Set([-32_601, -32_604]),
  pruned: new Set([4444])
}
