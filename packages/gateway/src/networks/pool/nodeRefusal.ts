/**
 * Separates errors that answer the caller's question from errors about the node itself. After an error about the node,
 * the pool asks another node.
 *
 * `RemoteKind` classifies the texts and codes of nodes and providers. This module decides the consequences of each
 * kind.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as RemoteKind from "@plumbline/jsonrpc-core/error/RemoteKind"
import * as RetryAfter from "@plumbline/jsonrpc-core/transport/RetryAfter"
import * as Duration from "effect/Duration"

import { UpstreamError } from "../UpstreamError.ts"
import type { CallKind, MethodTrait } from "./poolCall.ts"

/** The consequences of a kind of error. */
export interface RefusalConsequence {
  /**
   * Milliseconds for which the node is asked last, if its error names no duration. The time doubles with each such
   * error.
   */
  readonly rest?: number
  /** The fact that is remembered about the node: it does not have the method, or the history of the block. */
  readonly learned?: "method" | "history"
  /** True if only a node with a newer head can have a better answer. */
  readonly isOfHead?: boolean
  /** True if the error is shown to the operator as a state of the node. */
  readonly isState?: boolean
}

const READS: ReadonlySet<CallKind> = new Set<CallKind>(["read"])

/**
 * Reads and submissions. A submission is safe to repeat, because the node has certainly not accepted the transaction.
 */
const NOT_TAKEN: ReadonlySet<CallKind> = new Set<CallKind>(["read", "submission"])

/** The kinds of error after which another node is asked. An error of any other kind answers the question. */
const consequences: { readonly [Kind in RemoteKind.RemoteKind]?: RefusalConsequence } = {
  rateLimited: { rest: 1000, isState: true },
  quotaExceeded: { rest: 30_000, isState: true },
  unauthorized: { isState: true },
  unavailable: { rest: 1000, isState: true },
  timedOut: { isState: true },
  internal: { isState: true },
  methodNotFound: { learned: "method" },
  notFound: { isOfHead: true },
  pruned: { learned: "history" }
}

/** An error object after which another node may be asked. */
export interface NodeRefusal extends RefusalConsequence {
  /** The kinds of call that are sent to another node after the error. */
  readonly another: ReadonlySet<CallKind>
  readonly error: ErrorObject
  readonly kind: RemoteKind.RemoteKind
  /** The pause in milliseconds that the node asked for; undefined if the node named no pause. */
  readonly told: number | undefined
  /**
   * True if the error can be remembered as a fact about the node. Its text may contain text of a caller or of a
   * contract; its code always comes from the node.
   */
  readonly isSure: boolean
}

/**
 * Returns what an error object says about the node that sent it. Returns undefined for a fault, and for an error that
 * answers the caller's question.
 */
export const of = (error: ErrorObject | UpstreamError, trait: MethodTrait): NodeRefusal | undefined => {
  if (error instanceof UpstreamError) return undefined
  const kind = RemoteKind.of(error)
  const consequence = consequences[kind]
  if (consequence === undefined) return undefined
  const isSure = trait.hasNodesWords || ownCodes[kind]?.has(error.code) === true
  const told = isSure && consequence.rest !== undefined ? RetryAfter.ofError(error) : undefined
  return {
    ...consequence,
    another: RemoteKind.isNotDone(kind) ? NOT_TAKEN : READS,
    error,
    kind,
    isSure,
    told: told === undefined ? undefined : Duration.toMillis(told)
  }
}

/** True if the pool asks each other node for a read after this error, whatever their heads are. */
export const isOfNode = (error: ErrorObject): boolean => {
  const consequence = consequences[RemoteKind.of(error)]
  return consequence !== undefined && consequence.isOfHead !== true
}

/** Codes whose meaning does not depend on the text. No node uses them for the outcome of a contract. */
const ownCodes: { readonly [Kind in RemoteKind.RemoteKind]?: ReadonlySet<number> } = {
  rateLimited: new Set([429, -32_005, -33_200, -33_300]),
  quotaExceeded: new Set([402, -33_000]),
  methodNotFound: new Set([-32_601, -32_604]),
  pruned: new Set([4444])
}
