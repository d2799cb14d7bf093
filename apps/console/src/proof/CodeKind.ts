/** Tells the kinds of code of an account apart by their bytes, which the account's codeHash proves. */
import type { Hex } from "@plumbline/codec/hex/Hex"

/** The kind of an account by its code. */
export type CodeKind =
  /** No code: a key holds the account. */
  | { readonly _tag: "None" }
  /** A key holds the account, and calls of it run the code at `to` (EIP-7702). */
  | { readonly _tag: "Delegation"; readonly to: string }
  /** A contract that passes each call on to the code at `to` (EIP-1167). */
  | { readonly _tag: "MinimalProxy"; readonly to: string }
  /** Any other contract. */
  | { readonly _tag: "Contract"; readonly bytes: number }

/** Returns the kind. */
export const of = (code: Hex): CodeKind => {
  const text = code.toLowerCase()
  if (text === "0x") return { _tag: "None" }
  const [, delegate] = /^0xef0100([0-9a-f]{40})$/u.exec(text) ?? []
  if (delegate !== undefined) return { _tag: "Delegation", to: `0x${delegate}` }
  const [, target] = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/u.exec(text) ?? []
  return target === undefined
    ? { _tag: "Contract", bytes: (text.length - 2) / 2 }
    : { _tag: "MinimalProxy", to: `0x${target}` }
}
