/** The outcome of a call, as JSON and as lines of text. */
import type * as Address from "@plumbline/codec/value/Address"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { InBlock } from "../answer/InBlock.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"

/** The values that a call returned; undefined if it returned none of the types that the signature names. */
export type Decoded = ReadonlyArray<AbiText.AbiValue> | undefined

/** Returns the value of `--json`. */
export const wire = (outcome: CallOutcome, decoded: Decoded): unknown => ({
  result: outcome._tag === "Returned" ? outcome.data : null,
  decoded: decoded === undefined ? null : decoded.map(AbiText.toJson),
  reverted: outcome._tag === "Reverted" ? { data: outcome.data, reason: outcome.reason ?? null } : null,
  halted: outcome._tag === "Halted" ? outcome.halt : null,
  gasUsed: Quantity.toHex(outcome.gasUsed)
})

/** Returns the lines of the outcome. */
export const view = (
  { block, value: outcome }: InBlock<CallOutcome>,
  decoded: Decoded,
  options: { readonly address: Address.Address; readonly claimed: ReadonlySet<string>; readonly style: Style }
): ReadonlyArray<string> => {
  const { address, claimed, style } = options
  const place = InBlockView.rows(block)
  const rows = [...rowsOf(outcome, decoded), { field: "gasUsed", text: Units.grouped(outcome.gasUsed) }]
  const label = AnswerFields.labelWidth([...place, ...rows])
  return [
    style.title(`Call of ${address}`),
    "",
    ...AnswerFields.lines(place, { style, claimed, label }),
    "",
    ...AnswerFields.lines(rows, { style, claimed, label })
  ]
}

const rowsOf = (outcome: CallOutcome, decoded: Decoded): ReadonlyArray<AnswerFields.FieldRow> => {
  switch (outcome._tag) {
    case "Returned":
      return decoded === undefined || decoded.length === 0
        ? [{ field: "result", text: outcome.data }]
        : decoded.map((value, i) => ({ field: `[${i}]`, text: textOf(value) }))
    case "Reverted":
      return [
        { field: "reverted", text: outcome.reason === undefined ? "yes" : TerminalText.printable(outcome.reason) },
        { field: "data", text: outcome.data }
      ]
    case "Halted":
      return [{ field: "halted", text: outcome.halt }]
  }
}

const textOf = (value: AbiText.AbiValue): string => {
  if (typeof value === "bigint") return value < 0n ? `-${Units.word(-value)}` : Units.word(value)
  return TerminalText.printable(typeof value === "string" ? value : JSON.stringify(AbiText.toJson(value)))
}
