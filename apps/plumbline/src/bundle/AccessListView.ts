/** Shows a block access list (EIP-7928): what the block touched, and the values after the transactions that changed it. */
import type * as BlockAccessList from "@plumbline/eth-methods/model/BlockAccessList"

import * as SlotView from "../storage/SlotView.ts"
import type { Style } from "../terminal/Style.ts"
import * as Units from "../terminal/Units.ts"

/** Returns the lines of the list. The place of a change is the list's own index: 0 is before the first transaction. */
export const lines = (list: BlockAccessList.BlockAccessList, style: Style): ReadonlyArray<string> => {
  const rows = list.flatMap((account) => [`    ${account.address}`, ...changesOf(account, style)])
  const more = rows.length - MAX_ROWS
  return [
    "",
    `  ${style.label("access list")}  ${list.length === 0 ? "no account" : Units.count(list.length, "account")}`,
    ...rows.slice(0, MAX_ROWS),
    ...(more > 0 ? [`    ${Units.count(more, "more line")}, all with --json`] : [])
  ]
}

/** Maximum number of lines that are shown, because a block may touch thousands of slots. */
const MAX_ROWS = 64

const changesOf = (account: BlockAccessList.AccountChanges, style: Style): ReadonlyArray<string> => {
  const { balanceChanges, codeChanges, nonceChanges, storageChanges, storageReads } = account
  const after = (index: bigint): string => style.faint(`at ${index}`)
  return [
    ...balanceChanges.map(({ index, value }) => `      balance ${Units.ether(value)} ${after(index)}`),
    ...nonceChanges.map(({ index, value }) => `      nonce ${Units.grouped(value)} ${after(index)}`),
    ...codeChanges.map(
      ({ code, index }) => `      code of ${Units.count(code.length / 2 - 1, "byte")} ${after(index)}`
    ),
    ...storageChanges.flatMap(({ changes, key }) => [
      `      slot ${SlotView.nameOf(key)}`,
      ...changes.map(({ index, value }) => `        ${value} ${after(index)}`)
    ]),
    ...storageReads.map((key) => `      slot ${SlotView.nameOf(key)} ${style.faint("only read")}`)
  ]
}
