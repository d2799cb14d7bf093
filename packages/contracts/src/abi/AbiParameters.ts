/**
 * Encodes and decodes values by the contract ABI.
 *
 * viem encodes, because its own arguments are trusted. Decoding reads what a contract or a node chose, so it is done
 * here, in one pass over the bytes, and strictly: it accepts bytes only in the one form that the encoder of these values
 * writes. So no value is shown that the bytes do not hold, and no bytes are read twice, which bounds time and memory by
 * the number of bytes.
 *
 * Source: Solidity's documentation (contract ABI specification).
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"
import { encodeAbiParameters } from "viem/utils"

import { AbiArgumentError, AbiDecodeError, type AbiFault } from "./AbiError.ts"
import type { AbiParameter, ValuesOf } from "./AbiType.ts"
import * as AbiTypes from "./abiTypes.ts"

/** Maximum number of bytes that are decoded. */
export const MAX_BYTES: number = 2 ** 20

/**
 * Returns the encoding of the values.
 *
 * ```ts import.meta.vitest
 * import { AbiParameters } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * AbiParameters.encode([{ type: "uint8" }], [42]) // => Result.succeed(`0x${"00".repeat(31)}2a`)
 * const wrong = AbiParameters.encode([{ type: "uint8" }], [256])
 * Result.isFailure(wrong) && wrong.failure.message // => "argument 1 of (uint8) must be uint8"
 * ```
 */
export const encode = (
  parameters: ReadonlyArray<AbiParameter>,
  values: ReadonlyArray<unknown>
): Result.Result<Hex.Hex, AbiArgumentError> => {
  const fail = (reason: AbiArgumentError["reason"]) =>
    Result.fail(new AbiArgumentError({ types: AbiTypes.names(parameters), reason }))
  if (values.length !== parameters.length) {
    return fail({ _tag: "Count", expected: parameters.length, given: values.length })
  }
  const all = encoded(parameters, values)
  if (all !== undefined) return Result.succeed(all)
  const wrong = parameters.findIndex((type, at) => encoded([type], [values[at]]) === undefined)
  const position = Math.max(wrong, 0)
  return fail({ _tag: "Value", position, type: AbiTypes.name(parameters[position]!), form: undefined })
}

const encoded = (parameters: ReadonlyArray<AbiParameter>, values: ReadonlyArray<unknown>): Hex.Hex | undefined => {
  if (!parameters.every((type, at) => isOf(type, values[at]))) return undefined
  try {
    return encodeAbiParameters(parameters as Parameters<typeof encodeAbiParameters>[0], values)
  } catch {
    return undefined
  }
}

/** True if the value has the form of the type. viem takes `true` for a number, and checks sizes, which this does not. */
const isOf = (type: AbiParameter, value: unknown): boolean => {
  const array = AbiTypes.arrayOf(type)
  if (array !== undefined) return Array.isArray(value) && value.every((item) => isOf(array.item, item))
  if (type.type === "tuple") {
    if (typeof value !== "object" || value === null) return false
    const members = value as ReadonlyArray<unknown> & Readonly<Record<string, unknown>>
    return AbiTypes.membersOf(type).every((member, at) =>
      isOf(member, members[Array.isArray(value) ? at : (member.name ?? "")])
    )
  }
  if (type.type === "bool") return typeof value === "boolean"
  // a text with half a character has no UTF-8
  if (type.type === "string") return typeof value === "string" && value.isWellFormed()
  if (type.type === "address" || type.type.startsWith("bytes")) return Hex.isHex(value)
  return typeof value === "bigint" || Number.isSafeInteger(value)
}

/** Options of `decode`. */
export interface AbiDecodeOptions {
  /** True to refuse bytes that follow the values. Default: false, because Solidity ignores them. */
  readonly exact?: boolean | undefined
}

/** The default options of `decode`. */
export const defaults: { readonly exact: boolean } = { exact: false }

/**
 * Returns the values in the bytes, in the types of viem: integers up to 48 bits are numbers and others bigints, a tuple
 * whose members all have different names is an object, and another tuple is an array. Addresses are in lower case.
 *
 * ```ts import.meta.vitest
 * import { AbiParameters } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * const types = [{ type: "address" }, { type: "uint256" }] as const
 * const data = `0x${"00".repeat(12)}${"ab".repeat(20)}${"00".repeat(31)}07` as const
 * AbiParameters.decode(types, data) // => Result.succeed([`0x${"ab".repeat(20)}`, 7n])
 * ```
 */
export const decode = <const Parameters extends ReadonlyArray<AbiParameter>>(
  parameters: Parameters,
  data: Hex.Hex,
  options: AbiDecodeOptions = {}
): Result.Result<ValuesOf<Parameters>, AbiDecodeError> => {
  const fail = (fault: AbiFault, path = "") =>
    Result.fail(new AbiDecodeError({ types: AbiTypes.names(parameters), data, fault, path }))
  const size = Hex.size(data)
  if (size > MAX_BYTES) return fail("TooLong")
  if (!Hex.isHex(data)) return fail("NotHex")
  if (size === 0 && parameters.length > 0) return fail("Empty")
  const reader: Reader = { digits: data.slice(2).toLowerCase(), size, next: 0 }
  try {
    const values = readSequence(reader, 0, sequenceOf(parameters, 0))
    return reader.next < size && (options.exact ?? defaults.exact)
      ? fail("TrailingBytes")
      : Result.succeed(values as ReadonlyArray<unknown> as ValuesOf<Parameters>)
  } catch (error) {
    if (error instanceof Fault) return fail(error.fault, error.path)
    throw error
  }
}

/** The bytes that are read. */
interface Reader {
  /** The bytes as hex digits in lower case. */
  readonly digits: string
  /** The number of bytes. */
  readonly size: number
  /** The place behind the last value that was read outside a head. */
  next: number
}

/** The form of a type in bytes. */
interface Form {
  /** True if the head holds only an offset to the value. */
  readonly isDynamic: boolean
  /** The number of bytes in the head. */
  readonly size: number
  readonly read: (reader: Reader, at: number) => unknown
}

/** The forms of values that are encoded together: their heads first, then what the offsets in the heads lead to. */
interface Sequence {
  readonly count: number
  /** The number of bytes of all heads. */
  readonly size: number
  readonly isDynamic: boolean
  readonly formAt: (index: number) => Form
  readonly nameAt: (index: number) => string
}

class Fault {
  readonly fault: AbiFault
  path = ""
  constructor(fault: AbiFault) {
    this.fault = fault
  }
}

const WORD = 32

/** Maximum number of types within one another. */
const MAX_DEPTH = 32

const readSequence = (reader: Reader, start: number, sequence: Sequence): Array<unknown> => {
  const { count, formAt } = sequence
  need(reader, start, sequence.size)
  const values: Array<unknown> = []
  let head = start
  let tail = start + sequence.size
  let index = 0
  try {
    for (; index < count; index++) {
      const form = formAt(index)
      if (form.isDynamic) {
        if (smallAt(reader, head) !== tail - start) throw new Fault("NotCanonical")
        values.push(form.read(reader, tail))
        tail = reader.next
      } else {
        values.push(form.read(reader, head))
      }
      head += form.size
    }
  } catch (error) {
    if (error instanceof Fault) error.path = sequence.nameAt(index) + error.path
    throw error
  }
  reader.next = tail
  return values
}

const need = (reader: Reader, at: number, size: number): void => {
  if (at + size > reader.size) throw new Fault("OutOfData")
}

const digitsAt = (reader: Reader, at: number, size: number): string => {
  need(reader, at, size)
  return reader.digits.slice(2 * at, 2 * (at + size))
}

const ZEROS = "0".repeat(2 * WORD)

const areZero = (digits: string): boolean => digits === ZEROS.slice(0, digits.length)

/** Reads a word that is the length or the place of something; infinite if it is larger than any. */
const smallAt = (reader: Reader, at: number): number => {
  const word = digitsAt(reader, at, WORD)
  return areZero(word.slice(0, 52)) ? Number.parseInt(word.slice(52), 16) : Infinity
}

const sequenceOf = (parameters: ReadonlyArray<AbiParameter>, depth: number): Sequence => {
  const forms = parameters.map((parameter) => formOf(parameter, depth))
  return {
    count: forms.length,
    size: forms.reduce((sum, { size }) => sum + size, 0),
    isDynamic: forms.some(({ isDynamic }) => isDynamic),
    formAt: (index) => forms[index]!,
    nameAt: (index) => (parameters[index]!.name ? `.${parameters[index]!.name}` : `[${index}]`)
  }
}

const repeated = (form: Form, count: number): Sequence => ({
  count,
  size: count * form.size,
  isDynamic: form.isDynamic,
  formAt: () => form,
  nameAt: (index) => `[${index}]`
})

const formOf = (parameter: AbiParameter, depth: number): Form => {
  const array = AbiTypes.arrayOf(parameter)
  if (depth > MAX_DEPTH || array?.length === 0) throw new Fault("UnsupportedType")
  if (array !== undefined) {
    const item = formOf(array.item, depth + 1)
    return array.length === undefined
      ? dynamic((reader, at) => readSequence(reader, at + WORD, repeated(item, smallAt(reader, at))))
      : together(repeated(item, array.length), (values) => values)
  }
  if (parameter.type === "tuple") {
    const members = AbiTypes.membersOf(parameter)
    if (members.length === 0) throw new Fault("UnsupportedType")
    return together(
      sequenceOf(members, depth + 1),
      AbiTypes.haveNames(members)
        ? (values) => Object.fromEntries(members.map(({ name }, index) => [name!, values[index]]))
        : (values) => values
    )
  }
  switch (parameter.type) {
    case "address":
      return word((digits) => `0x${withoutZeros(digits, 24)}`)
    case "bool":
      return word((digits) => withoutZeros(digits, 63) === "1" || expectZero(digits))
    case "bytes":
      return dynamic((reader, at) => `0x${bytesAt(reader, at)}`)
    case "string":
      return dynamic((reader, at) => textOf(bytesAt(reader, at)))
  }
  const [, kind, bits] = /^(u?int|bytes)(\d{0,3})$/u.exec(parameter.type) ?? []
  const size = kind === "bytes" ? 8 * Number(bits) : bits === "" ? 256 : Number(bits)
  if (kind === undefined || size === 0 || size > 256 || size % 8 !== 0) throw new Fault("UnsupportedType")
  const digits = size / 4
  if (kind === "bytes") {
    return word((word) => {
      expectZero(word.slice(digits))
      return `0x${word.slice(0, digits)}`
    })
  }
  const isSmall = size <= 48
  if (kind === "uint") {
    return word((word) => {
      const value = withoutZeros(word, 64 - digits)
      return isSmall ? Number.parseInt(value, 16) : BigInt(`0x${value}`)
    })
  }
  return word((word) => {
    const whole = BigInt(`0x${word}`)
    const value = BigInt.asIntN(size, whole)
    if (BigInt.asUintN(256, value) !== whole) throw new Fault("NotCanonical")
    return isSmall ? Number(value) : value
  })
}

const word = (read: (digits: string) => unknown): Form => ({
  isDynamic: false,
  size: WORD,
  read: (reader, at) => read(digitsAt(reader, at, WORD))
})

const dynamic = (read: Form["read"]): Form => ({ isDynamic: true, size: WORD, read })

const together = (sequence: Sequence, make: (values: Array<unknown>) => unknown): Form => ({
  isDynamic: sequence.isDynamic,
  size: sequence.isDynamic ? WORD : sequence.size,
  read: (reader, at) => make(readSequence(reader, at, sequence))
})

const expectZero = (digits: string): false => {
  if (!areZero(digits)) throw new Fault("NotCanonical")
  return false
}

/** Returns the digits behind the first ones, which must be zero. */
const withoutZeros = (digits: string, count: number): string => {
  expectZero(digits.slice(0, count))
  return digits.slice(count)
}

/** Returns the digits of bytes that their length precedes, and zeros follow up to a whole word. */
const bytesAt = (reader: Reader, at: number): string => {
  const length = smallAt(reader, at)
  const padded = WORD * Math.ceil(length / WORD)
  const digits = digitsAt(reader, at + WORD, padded)
  expectZero(digits.slice(2 * length))
  reader.next = at + WORD + padded
  return digits.slice(0, 2 * length)
}

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (digits: string): string => {
  try {
    return decoder.decode(Hex.toBytesUnsafe(`0x${digits}`))
  } catch {
    throw new Fault("NotUtf8")
  }
}
