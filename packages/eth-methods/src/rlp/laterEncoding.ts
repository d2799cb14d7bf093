/** The encoding of transactions, and of the last fields of receipts, whose form the caller names. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import { fieldOf } from "@plumbline/codec/wire/WireObject"

import * as LaterTransactions from "../model/LaterTransactions.ts"

/** A value that is not of its kind: its path, and the kind. */
export interface Fault {
  readonly path: string
  readonly expected: string
}

/** Returns the first field that is missing or of another kind; undefined if `write` can write the object. */
export const faultOf = (
  fields: ReadonlyArray<LaterTransactions.Field>,
  json: object,
  path: string
): Fault | undefined => {
  for (const { kind, name } of fields) {
    const fault = faultIn(kind, fieldOf(json, name), `${path}.${name}`)
    if (fault !== undefined) return fault
  }
  return undefined
}

const faultIn = (kind: LaterTransactions.Kind, value: unknown, path: string): Fault | undefined => {
  if (typeof kind === "string") {
    return LaterTransactions.valueOf(kind, value) === undefined ? { path, expected: kind } : undefined
  }
  if (!Array.isArray(value)) return { path, expected: "a list" }
  const { list } = kind
  for (const [at, item] of value.entries()) {
    const inside = `${path}[${at}]`
    const fault = !isFields(list)
      ? faultIn(list, item, inside)
      : typeof item === "object" && item !== null
        ? faultOf(list, item, inside)
        : { path: inside, expected: "an object" }
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Appends a transaction: its type, and the RLP list of its fields. The caller has found no fault in it. */
export const write = (
  writer: RlpWriter.RlpWriter,
  { fields, type }: LaterTransactions.TransactionType,
  transaction: object
): void => {
  writer.byte(Number(type))
  const list = writer.beginList()
  writeFields(writer, fields, transaction)
  writer.endList(list)
}

/** Appends fields, without the head of their list. The caller has found no fault in them. */
export const writeFields = (
  writer: RlpWriter.RlpWriter,
  fields: ReadonlyArray<LaterTransactions.Field>,
  json: object
): void => {
  for (const { kind, name } of fields) writeValue(writer, kind, fieldOf(json, name))
}

const writeValue = (writer: RlpWriter.RlpWriter, kind: LaterTransactions.Kind, value: unknown): void => {
  if (typeof kind === "string") {
    const read: Hex.Hex | bigint = LaterTransactions.valueOf(kind, value)!
    if (typeof read === "bigint") writer.quantity(read)
    else writer.data(read)
    return
  }
  const { list } = kind
  const mark = writer.beginList()
  for (const item of value as ReadonlyArray<unknown>) {
    if (!isFields(list)) writeValue(writer, list, item)
    else {
      const structure = writer.beginList()
      writeFields(writer, list, item as object)
      writer.endList(structure)
    }
  }
  writer.endList(mark)
}

/** Adds the paths of fields that the form does not have, with `[]` for any index, such as `accessList[].note`. */
export const strangersOf = (
  fields: ReadonlyArray<LaterTransactions.Field>,
  json: object,
  path: string,
  found: Set<string>
): void => {
  for (const name of Object.keys(json)) {
    const field = fields.find((field) => field.name === name)
    if (field === undefined) found.add(path + name)
    else strangersIn(field.kind, fieldOf(json, name), path + name, found)
  }
}

const strangersIn = (kind: LaterTransactions.Kind, value: unknown, path: string, found: Set<string>): void => {
  if (typeof kind === "string") return
  const { list } = kind
  for (const item of value as ReadonlyArray<unknown>) {
    if (isFields(list)) strangersOf(list, item as object, `${path}[].`, found)
    else strangersIn(list, item, `${path}[]`, found)
  }
}

const isFields = (
  list: LaterTransactions.Kind | ReadonlyArray<LaterTransactions.Field>
): list is ReadonlyArray<LaterTransactions.Field> => Array.isArray(list)
