/** The rules that the list of every valid block keeps (EIP-7928), whatever its header says. */
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import type * as BlockAccessList from "../model/BlockAccessList.ts"
import { isEthereum, type OfChain } from "./ethereumChains.ts"
import type * as EthReason from "./EthReason.ts"
import { unknownFields } from "./unknownFields.ts"

/**
 * Checks a block access list without its block: on a chain of Ethereum, a list that breaks a rule of EIP-7928 is that of
 * no valid block. Proves nothing. On another chain, or if the list has fields of a later fork, the rules may be others,
 * and every list passes.
 *
 * Fails with `RefutedError`: `blockAccessList` and the name of the rule.
 */
export const verifyAccessListRules = (
  list: BlockAccessList.BlockAccessList,
  { chainId }: OfChain
): Result.Result<void, RefutedError> => {
  const broken = isEthereum(chainId) && looseFields(list).size === 0 ? brokenRule(list) : undefined
  return broken === undefined
    ? Result.void
    : Result.fail(refute(`blockAccessList ${broken.rule}`, "a list that keeps the rules of EIP-7928", broken.at))
}

/** The fields of the entries that the hash covers. */
const fields = {
  account: new Set(["address", "storageChanges", "storageReads", "balanceChanges", "nonceChanges", "codeChanges"]),
  slot: new Set(["key", "changes"]),
  value: new Set(["index", "value"]),
  code: new Set(["index", "code"])
}

/** Returns the paths of fields that this version does not know. */
export const looseFields = (list: BlockAccessList.BlockAccessList): Set<string> => {
  const loose = new Set<string>()
  unknownFields(list, fields.account, "", loose)
  for (const { balanceChanges, codeChanges, nonceChanges, storageChanges } of list) {
    unknownFields(storageChanges, fields.slot, "[].storageChanges", loose)
    for (const { changes } of storageChanges) {
      unknownFields(changes, fields.value, "[].storageChanges[].changes", loose)
    }
    unknownFields(balanceChanges, fields.value, "[].balanceChanges", loose)
    unknownFields(nonceChanges, fields.value, "[].nonceChanges", loose)
    unknownFields(codeChanges, fields.code, "[].codeChanges", loose)
  }
  return loose
}

/** Returns the first rule of EIP-7928 that the list breaks, with the place; undefined if it keeps all. */
export const brokenRule = (
  list: BlockAccessList.BlockAccessList
): { readonly rule: EthReason.AccessListRule; readonly at: string } | undefined => {
  const unordered = firstUnordered(list, ({ address }) => BigInt(address))
  if (unordered >= 0) return { rule: "account-order", at: `[${unordered}]` }
  for (const [i, account] of list.entries()) {
    const at = `[${i}]`
    const slot = firstUnordered(account.storageChanges, ({ key }) => BigInt(key))
    if (slot >= 0) return { rule: "slot-order", at: `${at}.storageChanges[${slot}]` }
    const read = firstUnordered(account.storageReads, BigInt)
    if (read >= 0) return { rule: "read-order", at: `${at}.storageReads[${read}]` }
    const written = new Set(account.storageChanges.map(({ key }) => key.toLowerCase()))
    const both = account.storageReads.findIndex((key) => written.has(key.toLowerCase()))
    if (both >= 0) return { rule: "read-and-written", at: `${at}.storageReads[${both}]` }
    const empty = account.storageChanges.findIndex(({ changes }) => changes.length === 0)
    if (empty >= 0) return { rule: "empty-slot", at: `${at}.storageChanges[${empty}]` }
    const lists = [
      ...account.storageChanges.map(({ changes }, j) => [`storageChanges[${j}].changes`, changes] as const),
      ["balanceChanges", account.balanceChanges] as const,
      ["nonceChanges", account.nonceChanges] as const,
      ["codeChanges", account.codeChanges] as const
    ]
    for (const [name, changes] of lists) {
      const index = firstUnordered<{ readonly index: bigint }>(changes, (change) => change.index)
      if (index >= 0) return { rule: "index-order", at: `${at}.${name}[${index}]` }
    }
  }
  return undefined
}

/** Returns the index of the first item whose number is not above that of the item before; -1 if there is none. */
const firstUnordered = <A>(items: ReadonlyArray<A>, numberOf: (item: A) => bigint): number =>
  items.findIndex((item, index) => index > 0 && numberOf(item) <= numberOf(items[index - 1]!))
