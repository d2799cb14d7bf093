/**
 * The rules by which the door passes or refuses an answer that nothing proves, method by method.
 *
 * | rule | a proven answer | an answer that is only claimed | an answer that is refuted |
 * | --- | --- | --- | --- |
 * | `prove` | passes, VERIFIED | `unprovable` decides: refused, or passes, CLAIMED | refused |
 * | `mark` | passes, VERIFIED | passes, CLAIMED | refused |
 * | `refuse` | refused, and the node is not asked | | |
 *
 * The answer `null` passes under both `prove` and `mark`: programs ask for a receipt until it exists, and its absence
 * cannot be proven.
 *
 * The rule of `eth_subscribe` is that of all subscriptions, and of the changes of all filters.
 */
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"

/** The rule of one method. */
export type Rule = "prove" | "mark" | "refuse"

/** The policy of a door. */
export interface Policy {
  /** The fate of an answer under the rule `prove` that is only claimed. Default: `refuse`. */
  readonly unprovable?: "refuse" | "mark" | undefined
  /** Rules of single methods, instead of `rules`. */
  readonly methods?: Readonly<Record<string, Rule>> | undefined
}

/**
 * The rules of methods that differ from the rule of all others, which is `prove`.
 *
 * These answers are advice, or the node's word about itself. Clients cannot work without them, and none of them says
 * what is on the chain: the fields of a signed transaction bound the damage of wrong advice, and each read at a block
 * number is proven or refused by itself.
 */
export const rules: ReadonlyMap<string, Rule> = new Map([
  ["eth_blockNumber", "mark"],
  ["eth_chainId", "mark"],
  ["net_version", "mark"],
  ["eth_gasPrice", "mark"],
  ["eth_maxPriorityFeePerGas", "mark"],
  ["eth_blobBaseFee", "mark"],
  ["eth_feeHistory", "mark"],
  ["eth_estimateGas", "mark"],
  ["eth_createAccessList", "mark"],
  ["eth_sendRawTransaction", "mark"],
  ["eth_syncing", "mark"],
  ["eth_accounts", "mark"],
  ["net_listening", "mark"],
  ["net_peerCount", "mark"],
  ["web3_clientVersion", "mark"]
])

/**
 * Returns the rule of a method.
 *
 * ```ts import.meta.vitest
 * import { Policy } from "@plumbline/provider"
 *
 * Policy.ruleOf({}, "eth_getBalance") // => "prove"
 * Policy.ruleOf({}, "eth_gasPrice") // => "mark"
 * Policy.ruleOf({ methods: { eth_estimateGas: "refuse" } }, "eth_estimateGas") // => "refuse"
 * ```
 */
export const ruleOf = ({ methods }: Policy, method: string): Rule =>
  (methods !== undefined && Object.hasOwn(methods, method) ? methods[method] : undefined) ??
  rules.get(method) ??
  "prove"

/**
 * True if the method needs a private key or a session of the node: a door offers neither.
 *
 * ```ts import.meta.vitest
 * import { Policy } from "@plumbline/provider"
 *
 * Policy.needsSession("eth_sendTransaction") // => true
 * Policy.needsSession("eth_newFilter") // => false
 * Policy.needsSession("eth_sendRawTransaction") // => false
 * ```
 */
export const needsSession = (method: string): boolean =>
  EthMethods.group.get(method) === undefined && SESSION.test(method)

const SESSION =
  /^(?:personal_|wallet_|eth_(?:send|sign|fill)Transaction$|eth_sign|eth_requestAccounts$|eth_coinbase$|eth_(?:un)?subscribe$)/u
