/**
 * The errors of this package, as JSON-RPC error objects. The message names the check, because today's clients show the
 * message.
 *
 * | code | meaning | `data` |
 * | --- | --- | --- |
 * | -32099 | `refuted: <check>`: the answer contradicts a trusted block | `verdict`, `method`, `check`, `expected`,
 * `got`, `anchor` |
 * | -32098 | `unproven: <reason>`: nothing proves the answer, and the policy refuses it | `verdict`, `method`,
 * `claimed`, `anchor` |
 * | -32097 | `unavailable: <reason>`: the node gives no proof, or no longer has it | `verdict`, `method`, `claimed`,
 * `anchor` |
 * | -32096 | `missed: blocks <from> to <to>`: a subscription or filter could not follow them | `from`, `to` |
 * | -32095 | `out of bounds: <reason>`: a call that is run here, or a range of logs, needs more than a bound on its work;
 * another node changes nothing, except for the bound `logTime` | `verdict`, `method`, `bound`, `limit`, `claimed` |
 * | -32002 | the node's answer cannot be used: it is late, violates the protocol, or mixes two chains | |
 * | 4200 | the method needs a private key or a session, which are not offered (EIP-1193) | |
 * | 4900 | no connection to the node (EIP-1193) | |
 *
 * `anchor` is the anchor on which the answer would have rested, as `Anchor.toText` writes it. It is absent if no anchor
 * was reached.
 *
 * An error of the node itself keeps its code, message and data, except that no anchor of it is believed, and that the
 * error of a read for a call that is run here has no data: it is not the call's own. viem repeats a call after -32603,
 * -32005 and -1, but not after the codes above, so a refuted call is not repeated.
 *
 * Source: EIP-1193 "Provider errors"; EIP-1474; JSON-RPC 2.0 section 5.1 leaves -32099 to -32000 to servers.
 */
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Predicate from "effect/Predicate"

/** The answer contradicts a trusted block. */
export const REFUTED = -32099

/** Nothing proves the answer. */
export const UNPROVEN = -32098

/** The node gives no proof of the answer. */
export const UNAVAILABLE = -32097

/** Notifications are missing. */
export const MISSED = -32096

/** A call, or a range of logs, needs more than a bound on its work. */
export const OUT_OF_BOUNDS = -32095

const LOG_WORK = "logWork"

const LOG_TIME = "logTime"

/** EIP-1193: the method is not supported. */
export const UNSUPPORTED = 4200

/** EIP-1193: the provider is not connected to any chain. */
export const DISCONNECTED = 4900

/**
 * Makes the error for an answer that a check refutes. `anchor` is the trusted block that the answer contradicts, as text.
 *
 * ```ts import.meta.vitest
 * import { ProviderRefusal } from "@plumbline/provider"
 * import { refute } from "@plumbline/verdict"
 *
 * const error = ProviderRefusal.refuted("eth_getBalance", refute("account.balance", 5n, 6n))
 * error.message // => "refuted: account.balance"
 * error.data // => { verdict: "REFUTED", method: "eth_getBalance", check: "account.balance", expected: "0x5", got: "0x6" }
 * ```
 */
export const refuted = (
  method: string,
  { check, expected, got }: Pick<RefutedError, "check" | "expected" | "got">,
  anchor?: string
): ErrorObject.ErrorObject =>
  noted(
    ErrorObject.make(REFUTED, `refuted: ${check}`, { verdict: "REFUTED", method, check, expected, got, ...on(anchor) })
  )

/**
 * Makes the error for an answer that nothing proves: -32097 if the node gave no proof where one exists, -32095 if a call
 * or a range of logs needs more than a bound on its work, else -32098. The message contains the first reason, and
 * `data.claimed` contains all reasons. `anchor` is the anchor of the refused answer, as text.
 */
export const unproven = (
  method: string,
  claims: ReadonlyArray<Claim.Claim>,
  anchor?: string
): ErrorObject.ErrorObject => {
  const beyond = claims.flatMap(({ reason }): ReadonlyArray<{ bound: string; limit: number | bigint }> =>
    EthReason.CallNotRun.is(reason) && reason.cause.reason._tag === "OutOfBounds"
      ? [reason.cause.reason]
      : EthReason.RangeTooLong.is(reason)
        ? [{ bound: reason.bound === "work" ? LOG_WORK : LOG_TIME, limit: reason.max }]
        : []
  )[0]
  const reason = claims[0]?.reason.sentence ?? "no proof of it is known here"
  const data = { verdict: "CLAIMED", method, claimed: claims.map(Claim.toSentence), ...on(anchor) }
  if (beyond !== undefined) {
    const { bound, limit } = beyond
    return noted(ErrorObject.make(OUT_OF_BOUNDS, `out of bounds: ${reason}`, { ...data, bound, limit: Number(limit) }))
  }
  return noted(
    isUnavailable(claims)
      ? ErrorObject.make(UNAVAILABLE, `unavailable: ${reason}`, data)
      : ErrorObject.make(UNPROVEN, `unproven: ${reason}`, data)
  )
}

/**
 * True if the node gives no proof although one exists, such as for an old state. Another node may give it.
 *
 * ```ts import.meta.vitest
 * import { EthReason } from "@plumbline/eth-methods"
 * import { ProviderRefusal } from "@plumbline/provider"
 * import { Claim } from "@plumbline/verdict"
 *
 * ProviderRefusal.isUnavailable([Claim.whole(EthReason.NoCallEngine({}))]) // => false
 * ```
 */
export const isUnavailable = (claims: ReadonlyArray<Claim.Claim>): boolean =>
  claims.some(
    ({ reason }) =>
      EthReason.ProofRefused.is(reason) ||
      (EthReason.CallNotRun.is(reason) && reason.cause.reason._tag === "Unavailable")
  )

/**
 * True for a refusal because the time to prove a range of logs was over. Another node may be faster.
 *
 * ```ts import.meta.vitest
 * import { ProviderRefusal } from "@plumbline/provider"
 *
 * ProviderRefusal.isLate(ProviderRefusal.unproven("eth_getLogs", [])) // => false
 * ```
 */
export const isLate = (error: ErrorObject.ErrorObject): boolean =>
  made.has(error) && Predicate.hasProperty(error.data, "bound") && error.data.bound === LOG_TIME

/** The refusals that were made here. */
const made = /* @__PURE__ */ new WeakSet<ErrorObject.ErrorObject>()

const noted = (error: ErrorObject.ErrorObject): ErrorObject.ErrorObject => {
  made.add(error)
  return error
}

/**
 * True for an error that `refuted` or `unproven` made. A node can send an error with the same code and text.
 *
 * ```ts import.meta.vitest
 * import { ProviderRefusal } from "@plumbline/provider"
 *
 * ProviderRefusal.isOwn(ProviderRefusal.unproven("eth_getBalance", [])) // => true
 * ProviderRefusal.isOwn({ code: ProviderRefusal.REFUTED, message: "refuted: account.balance" }) // => false
 * ```
 */
export const isOwn = (error: ErrorObject.ErrorObject): boolean => made.has(error)

const on = (anchor: string | undefined) => (anchor === undefined ? {} : { anchor })

/**
 * Returns the anchor on which a refusal rests, for the header `Plumbline-Anchor`; undefined if the error names none.
 *
 * ```ts import.meta.vitest
 * import { ProviderRefusal } from "@plumbline/provider"
 *
 * ProviderRefusal.anchorOf(ProviderRefusal.unproven("eth_getBalance", [], "quorum 2/3")) // => "quorum 2/3"
 * ```
 */
export const anchorOf = ({ code, data }: ErrorObject.ErrorObject): string | undefined =>
  OWN.has(code) && Predicate.hasProperty(data, "anchor") && Predicate.isString(data.anchor) && LINE.test(data.anchor)
    ? data.anchor
    : undefined

/**
 * Returns the hash that the caller names in a question, as text; undefined if it names none. The answer rests on this
 * hash, whatever else is trusted.
 *
 * ```ts import.meta.vitest
 * import { ProviderRefusal } from "@plumbline/provider"
 *
 * ProviderRefusal.anchorOfQuestion("eth_getBlockByHash", ["0xab", false]) // => "block 0xab"
 * ProviderRefusal.anchorOfQuestion("eth_getBalance", ["0x12", { blockHash: "0xab" }]) // => "block 0xab"
 * ProviderRefusal.anchorOfQuestion("eth_getBalance", ["0x12", "latest"]) // => undefined
 * ```
 */
export const anchorOfQuestion = (method: string, args: ReadonlyArray<unknown>): string | undefined => {
  const first = args[0]
  if (Predicate.isString(first) && method === "eth_getTransactionByHash") return `transaction ${first}`
  if (Predicate.isString(first) && BY_BLOCK.test(method)) return `block ${first}`
  for (const arg of args) {
    if (Predicate.hasProperty(arg, "blockHash") && Predicate.isString(arg.blockHash)) return `block ${arg.blockHash}`
  }
  return undefined
}

/** Matches the methods whose first parameter is the hash of a block. */
const BY_BLOCK = /^eth_get(?:Block\w*By|Uncle\w*By|TransactionBy)(?:Block)?Hash/u

const OWN: ReadonlySet<number> = new Set([REFUTED, UNPROVEN, UNAVAILABLE, OUT_OF_BOUNDS])

/** Matches a text that can be the value of a header. */
const LINE = /^[\u0020-\u007e]{1,300}$/u

/** Removes the anchor from an error of a node: this package names an anchor only if it has reached it. */
const withoutAnchor = (code: number, data: unknown): unknown => {
  if (!OWN.has(code) || !Predicate.hasProperty(data, "anchor")) return data
  const { anchor: _, ...rest } = data
  return rest
}

/** The verdicts on errors that are answers: the error objects themselves are sent, so they hold no verdict. */
const verdicts = /* @__PURE__ */ new WeakMap<ErrorObject.ErrorObject, Verdict<unknown>>()

/** Notes the verdict on an error that is the answer of a call, such as a revert. Returns the error. */
export const withVerdict = (error: ErrorObject.ErrorObject, verdict: Verdict<unknown>): ErrorObject.ErrorObject => {
  verdicts.set(error, verdict)
  return error
}

/**
 * Returns the verdict on an error that is the answer of a call, such as a proven revert; undefined for any other error.
 *
 * ```ts import.meta.vitest
 * import { ProviderRefusal } from "@plumbline/provider"
 *
 * ProviderRefusal.verdictOf({ code: 3, message: "execution reverted" }) // => undefined
 * ```
 */
export const verdictOf = (error: ErrorObject.ErrorObject): Verdict<unknown> | undefined => verdicts.get(error)

/**
 * Makes the error for blocks that a subscription or filter could not follow, including `from` and `to`.
 *
 * ```ts import.meta.vitest
 * import { ProviderRefusal } from "@plumbline/provider"
 *
 * ProviderRefusal.missed(7n, 9n).message // => "missed: blocks 7 to 9"
 * ```
 */
export const missed = (from: bigint, to: bigint): ErrorObject.ErrorObject =>
  ErrorObject.make(MISSED, `missed: blocks ${from} to ${to}`, {
    from: `0x${from.toString(16)}`,
    to: `0x${to.toString(16)}`
  })

/** Makes the error for pending transactions that a slow reader missed. */
export const lost = (count: number): ErrorObject.ErrorObject =>
  ErrorObject.make(MISSED, `missed: ${count} pending transactions`)

/** Makes the error for a subscription of a kind that is not offered. */
export const unsupportedSubscription = (kind: string): ErrorObject.ErrorObject =>
  ErrorObject.make(
    UNSUPPORTED,
    `the subscription ${JSON.stringify(kind.slice(0, 64))} is not supported. Use newHeads, logs or newPendingTransactions`
  )

/** Makes the error for a method that needs a private key or a session of the node. */
export const unsupported = (method: string): ErrorObject.ErrorObject =>
  ErrorObject.make(UNSUPPORTED, `the method ${method} is not supported: there are no keys and no sessions here`)

/** Makes the error for a method that administers the node. */
export const administration = (method: string): ErrorObject.ErrorObject =>
  ErrorObject.make(UNSUPPORTED, `the method ${method.slice(0, 64)} administers the node, and does not pass here`)

/** Makes the error for a call of an unknown method with parameters by name. */
export const unnamed = (method: string): ErrorObject.ErrorObject =>
  ErrorObject.invalidParams(`the parameters of ${method} must be a list`)

/**
 * Makes the error for a call that gave no answer.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcError } from "@plumbline/jsonrpc-core"
 * import { ProviderRefusal } from "@plumbline/provider"
 *
 * const reason = new JsonRpcError.RemoteError({ code: 3, message: "execution reverted", data: "0x" })
 * ProviderRefusal.failed(new JsonRpcError.JsonRpcError({ method: "eth_call", reason })).code // => 3
 * ```
 */
export const failed = ({ message, reason }: JsonRpcError): ErrorObject.ErrorObject => {
  switch (reason._tag) {
    case "RemoteError":
      return ErrorObject.make(reason.code, reason.message, withoutAnchor(reason.code, reason.data))
    case "TransportError":
      return ErrorObject.make(DISCONNECTED, `disconnected: ${reason.message}`)
    case "EncodeError":
      return ErrorObject.invalidParams(reason.message)
    default:
      return ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, message)
  }
}
