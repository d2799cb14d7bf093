/**
 * A block for people.
 */
import type * as Block from "@plumbline/eth-methods/Block"

import * as Fields from "./Fields.ts"
import type { Style } from "./Style.ts"
import * as TransactionView from "./TransactionView.ts"
import * as Units from "./Units.ts"

const groups: ReadonlyArray<ReadonlyArray<string>> = [
  ["hash", "number", "timestamp", "parentHash", "miner", "extraData"],
  ["gasUsed", "gasLimit", "baseFeePerGas", "blobGasUsed", "excessBlobGas", "size"],
  ["stateRoot", "transactionsRoot", "receiptsRoot", "withdrawalsRoot", "requestsHash", "blockAccessListHash"],
  ["sha3Uncles", "logsBloom", "parentBeaconBlockRoot", "slotNumber"],
  ["mixHash", "nonce", "difficulty", "totalDifficulty"]
]
const lists = ["transactions", "withdrawals", "uncles"]
const named: ReadonlySet<string> = new Set([...groups.flat(), ...lists])

/** The block, with its transactions whole or by hash, as it came. */
export const view = (block: Block.Block, claimed: ReadonlySet<string>, style: Style): ReadonlyArray<string> => {
  const others = Object.keys(block).filter((field) => !named.has(field))
  const all = [...groups, others].map((fields) => Fields.rows(block, fields).map((row) => withShare(row, block)))
  const label = Fields.labelWidth(all.flat())
  const heading = (name: string, length: number): ReadonlyArray<string> => [
    "",
    `  ${(claimed.has(name) ? style.doubtful : style.label)(name)}  ${length === 0 ? "none" : Units.grouped(BigInt(length))}${claimed.has(name) ? `  ${style.doubtful("claimed")}` : ""}`
  ]
  return [
    style.title(block.number === null ? "Pending block" : `Block ${Units.grouped(block.number)}`),
    ...all.flatMap((rows) => (rows.length === 0 ? [] : ["", ...Fields.lines(rows, { style, claimed, label })])),
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
    ...(block.uncles === undefined || block.uncles.length === 0
      ? []
      : [...heading("uncles", block.uncles.length), ...block.uncles.map((hash) => `       ${hash}`)])
  ]
}

/** Withdrawals are counted in gwei (EIP-4895). */
const WEI_PER_GWEI = 1_000_000_000n

const withShare = (row: Fields.Row, block: Block.Block): Fields.Row =>
  row.field === "gasUsed" && block.gasLimit > 0n
    ? Fields.row(row.field, block.gasUsed, `${Units.percent(block.gasUsed, block.gasLimit)} of the limit`)
    : row
