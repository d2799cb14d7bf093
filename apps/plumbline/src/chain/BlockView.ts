import type * as Block from "@plumbline/eth-methods/model/Block"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { Style } from "../terminal/Style.ts"
import * as Units from "../terminal/Units.ts"
import * as TransactionView from "./TransactionView.ts"

const groups: ReadonlyArray<ReadonlyArray<string>> = [
  ["hash", "number", "timestamp", "parentHash", "miner", "extraData"],
  ["gasUsed", "gasLimit", "baseFeePerGas", "blobGasUsed", "excessBlobGas", "size"],
  ["stateRoot", "transactionsRoot", "receiptsRoot", "withdrawalsRoot", "requestsHash", "blockAccessListHash"],
  ["sha3Uncles", "logsBloom", "parentBeaconBlockRoot", "slotNumber"],
  ["mixHash", "nonce", "difficulty", "totalDifficulty"]
]
const lists = ["transactions", "withdrawals", "uncles"]
const named: ReadonlySet<string> = new Set([...groups.flat(), ...lists])

/**
 * Returns the fields of a header, group by group, and unknown fields last. Lists are left out. `before` are rows to
 * show first.
 */
export const header = (
  fields: Block.Header,
  claimed: ReadonlySet<string>,
  style: Style,
  before: ReadonlyArray<AnswerFields.FieldRow> = []
): ReadonlyArray<string> => {
  const others = Object.keys(fields).filter((field) => !named.has(field))
  const all = [
    before,
    ...[...groups, others].map((names) => AnswerFields.rows(fields, names).map((row) => withShare(row, fields)))
  ]
  const label = AnswerFields.labelWidth(all.flat())
  return all.flatMap((rows) => (rows.length === 0 ? [] : ["", ...AnswerFields.lines(rows, { style, claimed, label })]))
}

/** Returns the block, with its transactions whole or by hash, as the node sent them. */
export const view = (block: Block.Block, claimed: ReadonlySet<string>, style: Style): ReadonlyArray<string> => {
  const heading = headingIn(claimed, style)
  return [
    style.title(block.number === null ? "Pending block" : `Block ${Units.grouped(block.number)}`),
    ...header(block, claimed, style),
    ...heading("transactions", block.transactions.length),
    ...block.transactions.flatMap((transaction, index) =>
      typeof transaction === "string"
        ? [`  ${style.faint(String(index).padStart(3))}  ${transaction}`]
        : TransactionView.summary(transaction, index, style)
    ),
    ...(block.withdrawals === undefined || block.withdrawals.length === 0
      ? []
      : [
          ...heading("withdrawals", block.withdrawals.length),
          ...block.withdrawals.map(
            ({ address, amount, index, validatorIndex }) =>
              `  ${style.faint(Units.grouped(index))}  ${address}  ${Units.ether(amount * WEI_PER_GWEI)}  validator ${Units.grouped(validatorIndex)}`
          )
        ]),
    ...uncles(block.uncles ?? [], claimed, style)
  ]
}

/**
 * Returns the lines for the hashes of uncles; no lines if the block has no uncles, as in all blocks since the Merge.
 */
export const uncles = (
  hashes: ReadonlyArray<string>,
  claimed: ReadonlySet<string>,
  style: Style
): ReadonlyArray<string> =>
  hashes.length === 0
    ? []
    : [...headingIn(claimed, style)("uncles", hashes.length), ...hashes.map((hash) => `       ${hash}`)]

const headingIn =
  (claimed: ReadonlySet<string>, style: Style) =>
  (name: string, length: number): ReadonlyArray<string> => [
    "",
    `  ${(claimed.has(name) ? style.doubtful : style.label)(name)}  ${length === 0 ? "none" : Units.grouped(BigInt(length))}${claimed.has(name) ? `  ${style.doubtful("claimed")}` : ""}`
  ]

/** Withdrawals are counted in gwei (EIP-4895). */
const WEI_PER_GWEI = 1_000_000_000n

const withShare = (row: AnswerFields.FieldRow, { gasLimit, gasUsed }: Block.Header): AnswerFields.FieldRow =>
  row.field === "gasUsed" && gasLimit > 0n
    ? AnswerFields.row(row.field, gasUsed, `${Units.percent(gasUsed, gasLimit)} of the limit`)
    : row
