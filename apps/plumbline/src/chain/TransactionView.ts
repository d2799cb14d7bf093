import * as Transaction from "@plumbline/eth-methods/model/Transaction"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"

const groups: ReadonlyArray<ReadonlyArray<string>> = [
  ["hash", "type", "from", "to", "mint", "value", "nonce", "input", "sourceHash", "isSystemTx"],
  ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp"],
  ["gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas"],
  ["chainId", "chainID", "v", "yParity", "r", "s"]
]
const lists = ["accessList", "authorizationList", "blobVersionedHashes"]
const named: ReadonlySet<string> = new Set([...groups.flat(), ...lists])

export const view = (
  transaction: Transaction.Transaction,
  claimed: ReadonlySet<string>,
  style: Style
): ReadonlyArray<string> => {
  const others = Object.keys(transaction).filter((field) => !named.has(field))
  const shown = transaction.type === undefined ? transaction : { ...transaction, type: Transaction.typeOf(transaction) }
  const all = [...groups, others].map((fields) => AnswerFields.rows(shown, fields))
  const label = AnswerFields.labelWidth(all.flat())
  return [
    ...titleOf(transaction, claimed, style),
    ...all.flatMap((rows) => (rows.length === 0 ? [] : ["", ...AnswerFields.lines(rows, { style, claimed, label })])),
    ...accessList(transaction, style),
    ...authorizations(transaction, style),
    ...blobs(transaction, style)
  ]
}

/** Formats a transaction of a block in a few lines. */
export const summary = (transaction: Transaction.Transaction, index: number, style: Style): ReadonlyArray<string> => {
  const head = `  ${style.faint(String(index).padStart(3))}  ${transaction.hash}`
  const indent = " ".repeat(7)
  if (!Transaction.isKnown(transaction) && transaction.type === undefined)
    return [head, `${indent}no type, no signature`]
  const type = AnswerFields.row("type", Transaction.typeOf(transaction)).text
  if (!Transaction.isKnown(transaction)) return [head, `${indent}type ${type}`]
  const data = (transaction.input.length - 2) / 2
  const room = style.columns - indent.length
  const parts = [
    Units.ether(transaction.value),
    ...(Transaction.isDeposit(transaction)
      ? transaction.mint === undefined
        ? []
        : [`mint ${Units.ether(transaction.mint)}`]
      : [`nonce ${Units.grouped(transaction.nonce)}`]),
    `type ${type}`,
    ...(data === 0 ? [] : [`${Units.count(data, "byte")} of input`])
  ]
  return [
    head,
    ...[
      ...TerminalText.flow([transaction.from, `→ ${transaction.to ?? "a new contract"}`], " ", room),
      ...TerminalText.flow(parts, "  ", room)
    ].map((line) => indent + line)
  ]
}

/** Returns the title of a transaction. An unproven position is marked, because the block may not exist. */
const titleOf = (
  transaction: Transaction.Transaction,
  claimed: ReadonlySet<string>,
  style: Style
): ReadonlyArray<string> => {
  if (!Transaction.isKnown(transaction)) return [style.title("Transaction of an unknown type")]
  const title =
    transaction.blockNumber === null
      ? "Pending transaction"
      : `Transaction ${transaction.transactionIndex ?? "?"} of block ${Units.grouped(transaction.blockNumber)}`
  return [claimed.has("blockNumber") ? `${style.title(title)}  ${style.doubtful("claimed")}` : style.title(title)]
}

const accessList = (transaction: Transaction.Transaction, style: Style): ReadonlyArray<string> => {
  if (!Transaction.isKnown(transaction) || !("accessList" in transaction)) return []
  const items = transaction.accessList as ReadonlyArray<Transaction.AccessListItem>
  return list(
    "accessList",
    items.length,
    style,
    items.flatMap((item) => [`    ${item.address}`, ...item.storageKeys.map((key) => `      ${key}`)])
  )
}

const authorizations = (transaction: Transaction.Transaction, style: Style): ReadonlyArray<string> =>
  !Transaction.isKnown(transaction) || transaction.type !== 4n
    ? []
    : list(
        "authorizationList",
        transaction.authorizationList.length,
        style,
        transaction.authorizationList.flatMap((item) => [
          `    code of ${item.address}`,
          `      chainId ${item.chainId === 0n ? "0 (any chain)" : Units.grouped(item.chainId)}  nonce ${Units.grouped(item.nonce)}  yParity ${item.yParity}`,
          `      r ${item.r}`,
          `      s ${item.s}`
        ])
      )

const blobs = (transaction: Transaction.Transaction, style: Style): ReadonlyArray<string> =>
  !Transaction.isKnown(transaction) || transaction.type !== 3n
    ? []
    : list(
        "blobVersionedHashes",
        transaction.blobVersionedHashes.length,
        style,
        transaction.blobVersionedHashes.map((hash) => `    ${hash}`)
      )

const list = (name: string, length: number, style: Style, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  "",
  `  ${style.label(name)}  ${length === 0 ? "empty" : Units.grouped(BigInt(length))}`,
  ...lines
]
