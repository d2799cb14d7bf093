/**
 * Each method has a rule, which decides whether an answer that nothing proves passes or is refused.
 *
 * | rule | a proven answer | an answer that is only claimed | an answer that is refuted |
 * | --- | --- | --- | --- |
 * | `prove` | passes, VERIFIED | refused, or passes as CLAIMED, as `unprovable` says | refused |
 * | `mark` | passes, VERIFIED | passes, CLAIMED | refused |
 * | `refuse` | refused, and the node is not asked | | |
 *
 * The answer `null` passes under `prove` and `mark`, because programs ask for a receipt until it exists, and the
 * absence of a receipt cannot be proven.
 *
 * The rule of `eth_subscribe` applies to all subscriptions, and to the changes of all filters.
 */
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"

/** The rule of one method. */
export type PolicyRule = "prove" | "mark" | "refuse"

/** The policy of a `ProvingNode`. */
export interface Policy {
  /** The treatment of a claimed answer under the rule `prove`. Default: `refuse`. */
  readonly unprovable?: "refuse" | "mark" | undefined
  /** The treatment of methods that administer the node, see `administers`. Default: `refuse`. */
  readonly administration?: "refuse" | "pass" | undefined
  /** Rules for individual methods. They override `rules`. */
  readonly methods?: Readonly<Record<string, PolicyRule>> | undefined
}

/**
 * The reads without which no client works, although they are more than advice. The node compares their answers with
 * what it knows, or computes them.
 */
const NEEDED: ReadonlySet<string> = new Set<EthMethods.ReadName>([
  "blockNumber",
  "chainId",
  "networkId",
  "sendRawTransaction",
  "sha3"
])

/**
 * The methods that have a rule other than `prove`. All methods that are not listed here have the rule `prove`.
 *
 * These answers are advice, or statements of the node about itself. Clients cannot work without them, and none of them
 * is a statement about the chain's content. The fields of a signed transaction limit the damage of wrong advice, and
 * each read at a block number is proven or refused separately.
 */
export const rules: ReadonlyMap<string, PolicyRule> = new Map(
  EthMethods.all.flatMap(({ name, read, trust }) =>
    trust === "advice" || NEEDED.has(read) ? [[name, "mark"] as const] : []
  )
)

/**
 * True if the answer is advice because of its arguments: the nonce that counts the node's pending transactions. viem
 * and ethers ask for it before they send. A wrong one makes a transaction that waits or is refused.
 */
const isAdvice = (method: string, args: ReadonlyArray<unknown>): boolean =>
  method === "eth_getTransactionCount" && BlockParameter.isPending(args[1])

/**
 * Returns the rule of a method. `args` are the arguments by position.
 *
 * ```ts import.meta.vitest
 * import { Policy } from "@plumbline/provider"
 *
 * Policy.ruleOf({}, "eth_getBalance") // => "prove"
 * Policy.ruleOf({}, "eth_gasPrice") // => "mark"
 * Policy.ruleOf({}, "eth_getTransactionCount", ["0x00000000219ab540356cbb839cbe05303d7705fa", "pending"]) // => "mark"
 * Policy.ruleOf({ methods: { eth_estimateGas: "refuse" } }, "eth_estimateGas") // => "refuse"
 * ```
 */
export const ruleOf = ({ methods }: Policy, method: string, args: ReadonlyArray<unknown> = []): PolicyRule =>
  (methods !== undefined && Object.hasOwn(methods, method) ? methods[method] : undefined) ??
  rules.get(method) ??
  (isAdvice(method, args) ? "mark" : "prove")

/**
 * True if the method needs a private key of the node, or a session at the node. Such methods are not offered.
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
  /^(?:personal_|wallet_|eth_(?:send|sign|fill)Transaction$|eth_resend$|eth_sign|eth_requestAccounts$|eth_coinbase$|eth_(?:un)?subscribe$)/u

/**
 * True if the method administers the node: it changes the node or its chain, or opens its files, as `anvil_setBalance`,
 * `admin_addPeer` and `debug_setHead` do. Such methods are refused unless the policy lets them pass, because a program
 * that reads through a proxy does not expect to hand out the node's controls. Methods that only trace or read pass.
 *
 * Nodes differ in how they compare names, so upper case and blanks do not hide a method.
 *
 * ```ts import.meta.vitest
 * import { Policy } from "@plumbline/provider"
 *
 * Policy.administers("anvil_setBalance") // => true
 * Policy.administers("debug_setHead") // => true
 * Policy.administers("debug_traceTransaction") // => false
 * Policy.administers("eth_call") // => false
 * ```
 */
export const administers = (method: string): boolean => {
  const name = method.trim().toLowerCase()
  return CONTROLS.test(name) || (name.startsWith("debug_") && !READING.test(name)) || /_(?:propose|discard)/u.test(name)
}

/** Namespaces of controls: of geth and its relatives, of development nodes, and of external signers. */
const CONTROLS =
  /^(?:account|admin|anvil|clef|db|engine|evm|ganache|hardhat|les|miner|parity(?=_(?!all|chain|get|next|pending|version))|perm|personal|shh|tenderly)_/u

/** The reading methods of the namespace debug. Methods that name files read or write files of the node. */
const READING =
  /^debug_(?!.*file)(?:account|bad|code|dump|execution|get|intermediate|preimage|print|state|storage|trace)/u
