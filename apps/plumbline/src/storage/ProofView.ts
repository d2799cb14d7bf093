/**
 * Formats an account and its storage as text. Trie nodes are only counted, because their bytes mean little to a person.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { InBlock } from "../answer/InBlock.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import type { Style } from "../terminal/Style.ts"
import * as Units from "../terminal/Units.ts"
import * as SlotView from "./SlotView.ts"

/** Returns the lines of the account and of the requested slots. */
export const view = (
  { block, value }: InBlock<Account>,
  claimed: ReadonlySet<string>,
  style: Style
): ReadonlyArray<string> => {
  const { isAbsent, proof } = value
  const groups = [
    InBlockView.rows(block),
    [...(isAbsent ? [] : fieldsOf(proof)), { field: "proof", text: `${sizeOf(proof.accountProof)}, whole with --json` }]
  ]
  const label = AnswerFields.labelWidth(groups.flat())
  return [
    style.title(`${isAbsent ? "No account" : "Account"} ${proof.address}`),
    ...groups.flatMap((rows) => ["", ...AnswerFields.lines(rows, { style, claimed, label })]),
    ...slots(proof.storageProof, style)
  ]
}

/** An answer about an account. */
export interface Account {
  readonly proof: AccountProof.AccountProof
  /** True if it is proven that there is no such account. */
  readonly isAbsent: boolean
}

const fieldsOf = (proof: AccountProof.AccountProof): ReadonlyArray<AnswerFields.FieldRow> =>
  AnswerFields.rows(proof, ["nonce", "balance", "codeHash", "storageHash"]).map((row) => {
    const nothing = ofNothing[row.field]
    return nothing !== undefined && row.text === nothing.hash ? { ...row, text: nothing.text } : row
  })

/** Hashes of nothing: the hash of empty code, and the root of an empty trie. */
const ofNothing: Readonly<Record<string, { readonly hash: string; readonly text: string }>> = {
  codeHash: { hash: Keccak256.EMPTY, text: "no code" },
  storageHash: { hash: Keccak256.hashHex(Uint8Array.of(0x80)), text: "no storage" }
}

const slots = (proofs: ReadonlyArray<AccountProof.StorageProof>, style: Style): ReadonlyArray<string> =>
  proofs.length === 0
    ? []
    : [
        "",
        `  ${style.label("slots")}  ${Units.grouped(BigInt(proofs.length))}`,
        ...proofs.flatMap((proof) => [
          `    ${style.label(SlotView.nameOf(StorageKey.fromSlot(AccountProof.keyOf(proof))))}  ${style.faint(Units.count(proof.proof.length, "node"))}`,
          ...(proof.value === 0n
            ? ["      0"]
            : [`      ${StorageKey.fromSlot(proof.value)}`, `      ${Units.word(proof.value)}`])
        ])
      ]

const sizeOf = (nodes: ReadonlyArray<string>): string => {
  const bytes = nodes.reduce((sum, node) => sum + (node.length - 2) / 2, 0)
  return `${Units.count(nodes.length, "node")}, ${Units.count(bytes, "byte")}`
}
