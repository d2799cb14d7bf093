/**
 * The RLP of block access lists (EIP-7928). Keys and words are numbers in it: they have no leading zeros, and zero is
 * the empty string.
 */
import type * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"

import type * as BlockAccessList from "../model/BlockAccessList.ts"
import type * as StorageWord from "../model/StorageWord.ts"
import * as StrictItems from "./strictItems.ts"

/** Appends the list's RLP to the writer, in the order of the list. */
export const write = (writer: RlpWriter.RlpWriter, list: BlockAccessList.BlockAccessList): void => {
  const all = writer.beginList()
  for (const account of list) {
    const one = writer.beginList()
    writer.data(account.address)
    each(writer, account.storageChanges, ({ changes, key }) => {
      const slot = writer.beginList()
      writer.integer(key)
      each(writer, changes, (change) => changed(writer, change.index, () => writer.integer(change.value)))
      writer.endList(slot)
    })
    each(writer, account.storageReads, (key) => writer.integer(key))
    each(writer, account.balanceChanges, ({ index, value }) => changed(writer, index, () => writer.quantity(value)))
    each(writer, account.nonceChanges, ({ index, value }) => changed(writer, index, () => writer.quantity(value)))
    each(writer, account.codeChanges, ({ code, index }) => changed(writer, index, () => writer.data(code)))
    writer.endList(one)
  }
  writer.endList(all)
}

const each = <A>(writer: RlpWriter.RlpWriter, items: ReadonlyArray<A>, write: (item: A) => void): void => {
  const list = writer.beginList()
  for (const item of items) write(item)
  writer.endList(list)
}

const changed = (writer: RlpWriter.RlpWriter, index: bigint, value: () => void): void => {
  const list = writer.beginList()
  writer.quantity(index)
  value()
  writer.endList(list)
}

/** Reads a list. Its order is not checked. */
export const read = (item: Rlp.Rlp, path: string): BlockAccessList.BlockAccessList =>
  StrictItems.list(item, path).map((account, i) => {
    const at = `${path}[${i}]`
    const [address, storage, reads, balances, nonces, codes] = StrictItems.list(account, at, [6])
    const word = (item: Rlp.Rlp, path: string): StorageWord.StorageWord =>
      StrictItems.scalar(item, path) as StorageWord.StorageWord
    return {
      address: StrictItems.address(address!, `${at}.address`),
      storageChanges: StrictItems.list(storage!, `${at}.storageChanges`).map((slot, j) => {
        const path = `${at}.storageChanges[${j}]`
        const [key, changes] = StrictItems.list(slot, path, [2])
        return { key: word(key!, `${path}.key`), changes: changesIn(changes!, `${path}.changes`, "value", word) }
      }),
      storageReads: StrictItems.list(reads!, `${at}.storageReads`).map((key, j) =>
        word(key, `${at}.storageReads[${j}]`)
      ),
      balanceChanges: changesIn(balances!, `${at}.balanceChanges`, "value", StrictItems.integer),
      nonceChanges: changesIn(nonces!, `${at}.nonceChanges`, "value", StrictItems.integer),
      codeChanges: changesIn(codes!, `${at}.codeChanges`, "code", StrictItems.data)
    }
  })

/** A change at an index, whose new value has this name. */
type Change<Name extends string, A> = { readonly index: bigint } & { readonly [N in Name]: A }

const changesIn = <const Name extends string, A>(
  item: Rlp.Rlp,
  path: string,
  name: Name,
  read: (item: Rlp.Rlp, path: string) => A
): ReadonlyArray<Change<Name, A>> =>
  StrictItems.list(item, path).map((change, i) => {
    const at = `${path}[${i}]`
    const [index, value] = StrictItems.list(change, at, [2])
    return {
      index: StrictItems.integer(index!, `${at}.index`),
      [name]: read(value!, `${at}.${name}`)
    } as Change<Name, A>
  })
