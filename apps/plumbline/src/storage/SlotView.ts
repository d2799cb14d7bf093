import type * as Address from "@plumbline/codec/value/Address"
import type * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type * as StorageWord from "@plumbline/eth-methods/model/StorageWord"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { InBlock } from "../answer/InBlock.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import type { Style } from "../terminal/Style.ts"
import * as Units from "../terminal/Units.ts"

/** Returns the lines of the word, as bytes and as a number. */
export const view = (
  { block, value }: InBlock<StorageWord.StorageWord>,
  options: {
    readonly address: Address.Address
    readonly slot: StorageKey.StorageKey
    readonly isAbsent: boolean
    readonly claimed: ReadonlySet<string>
    readonly style: Style
  }
): ReadonlyArray<string> => {
  const { address, claimed, isAbsent, slot, style } = options
  const place = InBlockView.rows(block)
  const word = [
    isNumber(slot) ? AnswerFields.row("slot", BigInt(slot)) : AnswerFields.row("slot", slot),
    AnswerFields.row("word", value),
    { field: "decimal", text: Units.word(BigInt(value)) }
  ]
  const label = AnswerFields.labelWidth([...place, ...word])
  return [
    style.title(`Storage of ${address}`),
    "",
    ...AnswerFields.lines(place, { style, claimed, label }),
    ...(isAbsent ? ["", `  ${style.doubtful(NO_ACCOUNT)}`] : []),
    "",
    ...AnswerFields.lines(word, { style, claimed, label })
  ]
}

const NO_ACCOUNT = "There is no account at this address: each slot reads as zero. Check the address."

/** Returns a slot in its shortest form: a number, or a hash for an entry of a mapping or array. */
export const nameOf = (slot: StorageKey.StorageKey): string => (isNumber(slot) ? Units.grouped(BigInt(slot)) : slot)

/** True if the slot is short enough to be read as a number. */
const isNumber = (slot: StorageKey.StorageKey): boolean => BigInt(slot) < 2n ** 64n
