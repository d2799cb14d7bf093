/** The rows of a block access list (EIP-7928): one for each change and each read slot, under their accounts. */
import type * as BlockAccessList from "@plumbline/eth-methods/model/BlockAccessList"

/** A row. `at` is the index of the transaction after which the value holds; undefined if nothing changed. */
export interface AccessListRow {
  readonly address: string
  readonly change:
    | { readonly _tag: "Slot"; readonly key: string; readonly word: string }
    | { readonly _tag: "Balance"; readonly wei: bigint }
    | { readonly _tag: "Nonce"; readonly nonce: bigint }
    | { readonly _tag: "Code"; readonly bytes: number }
    | { readonly _tag: "Read"; readonly key: string }
    | { readonly _tag: "Touched" }
  readonly at: bigint | undefined
}

/** Returns the rows, in the order of the list. An account that was only looked at has one row too. */
export const of = (list: BlockAccessList.BlockAccessList): ReadonlyArray<AccessListRow> =>
  list.flatMap(({ address, balanceChanges, codeChanges, nonceChanges, storageChanges, storageReads }) => {
    const changes: ReadonlyArray<Omit<AccessListRow, "address">> = [
      ...balanceChanges.map(({ index, value }) => ({ change: { _tag: "Balance", wei: value }, at: index }) as const),
      ...nonceChanges.map(({ index, value }) => ({ change: { _tag: "Nonce", nonce: value }, at: index }) as const),
      ...codeChanges.map(
        ({ code, index }) => ({ change: { _tag: "Code", bytes: code.length / 2 - 1 }, at: index }) as const
      ),
      ...storageChanges.flatMap(({ changes, key }) =>
        changes.map(({ index, value }) => ({ change: { _tag: "Slot", key, word: value }, at: index }) as const)
      ),
      ...storageReads.map((key) => ({ change: { _tag: "Read", key }, at: undefined }) as const)
    ]
    const touched = [{ change: { _tag: "Touched" }, at: undefined }] as const
    return (changes.length === 0 ? touched : changes).map((change) => ({ address, ...change }))
  })

/**
 * Returns the words for the place of a change in a block with this number of transactions. The list counts them from 1;
 * the table of transactions, and so this text, from 0.
 */
export const placeOf = (at: bigint, transactions: number): string =>
  at === 0n
    ? "before all transactions"
    : at <= BigInt(transactions)
      ? `transaction ${at - 1n}`
      : "after all transactions"
