/** The form of a function: a field for each argument, and the call that follows from the texts. */
import type { Hex } from "@plumbline/codec/hex/Hex"
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type { AbiFunction, AbiParameter } from "@plumbline/contracts/abi/AbiType"
import * as Result from "effect/Result"

import type { FormParameter } from "../playground/MethodForms.ts"
import type { FieldTexts, SchemaForm } from "../playground/SchemaForms.ts"

/** Returns the fields of the arguments. */
export const fieldsOf = ({ inputs }: AbiFunction): ReadonlyArray<FormParameter> =>
  inputs.map((type, at) => ({
    name: labelOf(inputs, at),
    doc: nameOf(type),
    required: true,
    form: formOf(type),
    mistake: () => undefined
  }))

/** Returns the label of a parameter: its name, or its position if it has no name of its own. */
export const labelOf = (types: ReadonlyArray<AbiParameter>, at: number, noun = "argument"): string => {
  const name = types[at]!.name ?? ""
  return name === "" || types.filter((one) => one.name === name).length > 1 ? `${noun} ${at + 1}` : name
}

/** Returns the name of a type as in a signature, such as `(uint256,bool)[]`. */
export const nameOf = (type: AbiParameter): string =>
  type.type.replace(/^tuple/u, () => `(${membersOf(type).map(nameOf).join(",")})`)

const membersOf = (type: AbiParameter): ReadonlyArray<AbiParameter> => type.components ?? []

const isPlain = ({ type }: AbiParameter): boolean => !type.endsWith("]") && type !== "tuple"

/** Returns the type of an array's items, if each fits on a line; undefined for other types. */
const itemOf = (type: AbiParameter): AbiParameter | undefined => {
  const [, item] = /^([a-z]+\d*)\[\d*\]$/u.exec(type.type) ?? []
  return item === undefined || item === "tuple" ? undefined : { type: item }
}

const text = ({ type }: AbiParameter): SchemaForm & { readonly _tag: "Text" } => ({
  _tag: "Text",
  options: type === "bool" ? ["true", "false"] : [],
  patterns: [],
  isNumber: false,
  hint: HINTS.find(([pattern]) => pattern.test(type))?.[1] ?? "0x…"
})

const HINTS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\]$/u, "[…, …]"],
  [/^tuple$/u, "(…, …)"],
  [/^u?int/u, "a number, decimal or 0x"],
  [/^string$/u, "text"]
]

const formOf = (type: AbiParameter): SchemaForm => {
  const item = itemOf(type)
  if (item !== undefined) return { _tag: "Lines", item: text(item) }
  return type.type === "tuple" && membersOf(type).every(isPlain)
    ? {
        _tag: "Members",
        members: membersOf(type).map((member, at) => ({
          name: labelOf(membersOf(type), at, "member"),
          required: true,
          form: text(member)
        }))
      }
    : text(type)
}

/** The data of a call, or the mistakes by the labels of their arguments. */
export type FormCall = Result.Result<Hex, Readonly<Record<string, string>>>

/** Reads the texts of a form. */
export const read = (item: AbiFunction, texts: FieldTexts): FormCall => {
  const { inputs } = item
  const mistakes: Record<string, string> = {}
  const values = inputs.map((type, at) => {
    const label = labelOf(inputs, at)
    const found = AbiText.read([type], [written(type, texts, label)])
    if (Result.isSuccess(found)) return found.success[0]
    const { reason } = found.failure
    mistakes[label] =
      `Expected ${nameOf(type)}${reason._tag === "Value" && reason.form !== undefined ? `: ${reason.form}` : ""}`
    return undefined
  })
  if (Object.keys(mistakes).length > 0) return Result.fail(mistakes)
  return Result.mapError(AbiFunctions.encode(item, values), ({ message }) => ({ "": message }))
}

/** Returns an argument in the form in which it is written on one line. */
const written = (type: AbiParameter, texts: FieldTexts, path: string): string => {
  const own = texts[path] ?? ""
  const form = formOf(type)
  if (form._tag === "Lines") {
    const trimmed = own.trim()
    if (trimmed.startsWith("[")) return trimmed
    const item = itemOf(type)!
    const lines = trimmed === "" ? [] : trimmed.split("\n")
    return `[${lines.map((line) => quoted(item, item.type === "string" ? line : line.replace(/,\s*$/u, ""))).join(",")}]`
  }
  if (form._tag === "Members") {
    const members = membersOf(type)
    return `(${form.members.map(({ name }, at) => quoted(members[at]!, texts[`${path}.${name}`] ?? "")).join(",")})`
  }
  return type.type === "string" ? own : own.trim()
}

/** Returns a text within an array or a tuple, where a string needs quotes. */
const quoted = (type: AbiParameter, value: string): string =>
  type.type === "string" ? JSON.stringify(value) : value.trim()
