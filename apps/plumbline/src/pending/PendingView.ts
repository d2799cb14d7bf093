/** Formats pending transactions as text, one line each. */
import { senderOf } from "@plumbline/second-chain-methods/hash/TransactionHash"
import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import * as Transaction from "@plumbline/second-chain-methods/model/Transaction"

import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"
import type { JudgedTransaction, PendingList } from "./PendingReading.ts"

/** Returns the list: each transaction with its badge, its kind, its hash, its sender, and its claims. */
export const view = ({ chain, list }: PendingList, style: Style): ReadonlyArray<string> => [
  style.title("Pending transactions"),
  "",
  `  ${style.label("chain")}         ${chainName(chain.id)}`,
  `  ${style.label("transactions")}  ${list.length === 0 ? "none" : Units.grouped(BigInt(list.length))}`,
  ...(list.length === 0 ? [] : ["", ...lines(list, style)])
]

const lines = (list: ReadonlyArray<JudgedTransaction>, style: Style): ReadonlyArray<string> => {
  const kinds = list.map(({ transaction }) => kindOf(transaction))
  const width = Math.min(MAX_KIND, Math.max(...kinds.map((kind) => kind.length)))
  return list.flatMap((judged, at) => line(judged, kinds[at]!.padEnd(width), style))
}

/** Maximum width of the kind: the longest name of a known kind. An unknown kind may have any name. */
const MAX_KIND = "DEPLOY_ACCOUNT v3 query".length

const line = (
  { claimed, refuted, transaction, verdict }: JudgedTransaction,
  kind: string,
  style: Style
): ReadonlyArray<string> => {
  const paint = { VERIFIED: style.good, CLAIMED: style.doubtful, REFUTED: style.bad }[verdict]
  const parts = [
    kind,
    transaction.transaction_hash,
    senderIn(transaction),
    refuted === undefined
      ? `claimed: ${namesOf(claimed)}`
      : `${refuted.check}: expected ${refuted.expected}, got ${TerminalText.printable(refuted.got)}`
  ]
  return TerminalText.flow(parts, GAP, style.columns - INDENT).map((text, i) =>
    i === 0
      ? `${GAP}${paint(verdict)}${" ".repeat(INDENT - GAP.length - verdict.length)}${text}`
      : " ".repeat(INDENT) + text
  )
}

/** Lists the claimed fields, at most as many as a known kind has, because a node can invent thousands. */
const namesOf = (claimed: JudgedTransaction["claimed"]): string => {
  const foremost = claimed.length > MAX_NAMES ? claimed.toSorted((a, b) => rank(a) - rank(b)) : claimed
  const names = foremost.slice(0, MAX_NAMES).map(({ about, field }) => (about === "Value" ? "all" : nameIn(field)))
  const more = claimed.length - names.length
  return names.join(", ") + (more === 0 ? "" : ` and ${more} more`)
}

const MAX_NAMES = 8

/** Ranks claims, so that the important ones stay visible even if a node adds many fields. */
const rank = ({ field }: JudgedTransaction["claimed"][number]): number =>
  Number(!["value", "signature", "pending"].includes(field))

const GAP = "  "

/** The column where the text begins, after the badge. */
const INDENT = GAP.length + "VERIFIED".length + GAP.length

/** Names the kind of a transaction, as in `INVOKE v3`. An unknown kind is shown by the name in the transaction. */
const kindOf = (transaction: Transaction.Transaction): string => {
  const it = Transaction.caseOf(transaction)
  if (it.kind !== "UNKNOWN") return Transaction.isQuery(it.transaction) ? `${it.kind} query` : it.kind
  return `${nameIn(it.transaction.sent["type"])} ${nameIn(it.transaction.sent["version"])}`
}

/** Returns the sender. A DEPLOY and a message from L1 have no sender. */
const senderIn = (transaction: Transaction.Transaction): string => {
  // the sender of a DEPLOY_ACCOUNT is a hash that covers these arguments, so a long list would take long to hash
  const isLong = "constructor_calldata" in transaction && transaction.constructor_calldata.length > MAX_ARGUMENTS
  if (isLong || transaction.type === "UNKNOWN") return "sender not known"
  const sender = senderOf(transaction)
  return sender === undefined ? "no sender" : `from ${sender}`
}

/** Maximum number of felts that a sequencer accepts. A node can send millions, which would keep this program busy. */
const MAX_ARGUMENTS = 5000

/** Returns a name that the node has chosen, which may have any length and any characters. */
const nameIn = (said: unknown): string =>
  typeof said === "string" ? TerminalText.printable(said.slice(0, MAX_NAME)) : "?"

const MAX_NAME = 32

/** Returns the name of a chain from its id, which is the name in ASCII as a number. */
const chainName = (chainId: Felt.Felt): string => {
  const digits = Felt.toBigInt(chainId).toString(16)
  const bytes = digits.padStart(digits.length + (digits.length % 2), "0").match(/../gu) ?? []
  const name = String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)))
  return /^[!-~]+$/u.test(name) ? `${name}  ${chainId}` : chainId
}
