/** The outcome of a call, as JSON and as lines of text. */
import type * as Address from "@plumbline/codec/value/Address"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import type { BundleCall } from "@plumbline/proof-bundle/bundle/BundleCall"
import * as Schema from "effect/Schema"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { InBlock } from "../answer/InBlock.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"
import type { Decoded } from "./DecodedCall.ts"

/** Returns the value of `--json`. */
export const wire = (outcome: CallOutcome, decoded: Decoded): unknown => ({
  result: outcome._tag === "Returned" ? outcome.data : null,
  decoded: decoded === undefined ? null : decoded.map(AbiText.toJson),
  reverted: outcome._tag === "Reverted" ? { data: outcome.data, reason: outcome.reason ?? null } : null,
  halted: outcome._tag === "Halted" ? outcome.halt : null,
  gasUsed: Quantity.toHex(outcome.gasUsed)
})

/** A call that a bundle keeps, and its arguments if its signature fits its data. */
export interface KeptQuestion extends BundleCall {
  readonly args: Decoded
}

/** Returns the question of a kept call, as JSON. */
export const question = ({ args, request, rules, signature }: KeptQuestion): unknown => ({
  request: encodeRequest(request),
  signature: signature ?? null,
  arguments: args === undefined ? null : args.map(AbiText.toJson),
  chainId: Quantity.toHex(rules.chainId),
  hardfork: rules.hardfork
})

const encodeRequest = Schema.encodeSync(CallRequest.CallRequest)

/** Returns the lines of the outcome. `question` is shown above it, if a bundle asked it. */
export const view = (
  { block, value: outcome }: InBlock<CallOutcome>,
  decoded: Decoded,
  options: {
    /** The receiver; undefined for the creation of a contract. */
    readonly address: Address.Address | undefined
    readonly question?: KeptQuestion
    /** True if a signature names types of the result, so that bytes of another form are explained. */
    readonly hasTypes: boolean
    readonly claimed: ReadonlySet<string>
    readonly style: Style
  }
): ReadonlyArray<string> => {
  const { address, claimed, hasTypes, question, style } = options
  const groups = [
    question === undefined ? [] : askedRows(question),
    InBlockView.rows(block),
    [...rowsOf(outcome, decoded, hasTypes), { field: "gasUsed", text: Units.grouped(outcome.gasUsed) }]
  ].filter(({ length }) => length > 0)
  const label = AnswerFields.labelWidth(groups.flat())
  return [
    style.title(address === undefined ? "Creation of a contract" : `Call of ${address}`),
    ...groups.flatMap((rows) => ["", ...AnswerFields.lines(rows, { style, claimed, label })])
  ]
}

const askedRows = ({ args, request, rules, signature }: KeptQuestion): ReadonlyArray<AnswerFields.FieldRow> => [
  ...(signature === undefined ? [] : [{ field: "function", text: TerminalText.printable(signature) }]),
  ...(args === undefined ? [] : args.map((value, i) => ({ field: `(${i})`, text: textOf(value) }))),
  ...(args === undefined ? [{ field: "data", text: request.input ?? "0x" }] : []),
  ...(request.from === undefined ? [] : [{ field: "from", text: request.from }]),
  ...(request.value === undefined ? [] : [{ field: "value", text: Units.word(request.value) }]),
  { field: "rules", text: `chain ${rules.chainId}, ${rules.hardfork}` }
]

const rowsOf = (outcome: CallOutcome, decoded: Decoded, hasTypes: boolean): ReadonlyArray<AnswerFields.FieldRow> => {
  switch (outcome._tag) {
    case "Returned":
      return decoded === undefined || decoded.length === 0
        ? [
            { field: "result", text: outcome.data },
            ...(decoded === undefined && hasTypes ? [{ field: "decoded", text: undecoded(outcome.data) }] : [])
          ]
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

const undecoded = (data: string): string =>
  data === "0x"
    ? "nothing: the call returned no bytes, as an account without code does"
    : "nothing: these bytes are not values of the types of the signature"

const textOf = (value: AbiText.AbiValue): string => {
  if (typeof value === "bigint") return value < 0n ? `-${Units.word(-value)}` : Units.word(value)
  return TerminalText.printable(typeof value === "string" ? value : JSON.stringify(AbiText.toJson(value)))
}
