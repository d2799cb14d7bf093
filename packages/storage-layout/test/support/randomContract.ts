/** Makes random contracts: declarations of any kind, statements that fill them, and the expected reads. */
import * as Random from "@plumbline/seeded/Random"
import { bytesToHex } from "viem"

import { bits, DEFINITIONS, type Kind, kinds } from "./valueKinds.ts"

/** A path to read, and the value that was written there. */
export interface Read {
  readonly path: string
  readonly expected: unknown
  /**
   * The type and the expression of a getter; undefined for a struct that holds a mapping, because no function can
   * return it.
   */
  readonly getter: { readonly type: string; readonly expression: string } | undefined
}

export interface Drawn {
  readonly source: string
  /** The number of functions `fill0`, `fill1`, ..., each of which needs a separate transaction. */
  readonly fills: number
  readonly reads: ReadonlyArray<Read>
}

type Type =
  | { readonly _tag: "Value"; readonly kind: Kind }
  | { readonly _tag: "Bytes"; readonly name: "string" | "bytes" }
  | { readonly _tag: "Array"; readonly base: Type; readonly length: number | undefined }
  | { readonly _tag: "Struct"; readonly name: string; readonly members: ReadonlyArray<readonly [string, Type]> }
  | { readonly _tag: "Mapping"; readonly key: Type; readonly value: Type }

const MAX_STATEMENTS = 260

export const draw = (seed: number): Drawn => {
  const random = Random.make(seed)
  const structs: Array<Extract<Type, { _tag: "Struct" }>> = []

  const value = (): Type => ({ _tag: "Value", kind: Random.pick(random, kinds) })
  const text = (): Type => ({ _tag: "Bytes", name: Random.pick(random, ["string", "bytes"] as const) })
  const type = (depth: number): Type => {
    switch (depth > 3 ? 0 : Random.int(random, 14)) {
      case 1:
      case 2:
        return { _tag: "Array", base: type(depth + 1), length: 1 + Random.int(random, depth === 0 ? 12 : 4) }
      case 3:
      case 4:
        return { _tag: "Array", base: type(depth + 1), length: undefined }
      case 5:
      case 6:
        return { _tag: "Mapping", key: Random.int(random, 3) === 0 ? text() : value(), value: type(depth + 1) }
      case 7:
      case 8:
        return text()
      case 9:
      case 10:
        return structs.length === 0 ? value() : Random.pick(random, structs)
      default:
        return value()
    }
  }
  const named = (prefix: string, count: number, depth: number) =>
    Array.from({ length: count }, (_, i) => [`${prefix}${i}`, type(depth)] as const)
  for (let i = 0; i < 4; i++) {
    structs.push({ _tag: "Struct", name: `S${i}`, members: named("m", 1 + Random.int(random, 6), 2) })
  }
  const parts = ["A", "B", "C", "D"].map((name) => ({ name, variables: named(`v${name}`, 5, 0) }))

  const statements: Array<string> = []
  const reads: Array<Read> = []
  /** Writes a random value. Returns the value, or undefined if the type has no value. */
  const fill = (at: Place, of: Type): unknown => {
    const written = write(at, of)
    if (hasValue(of)) {
      const getter = hasMapping(of) ? undefined : { type: returned(of), expression: at.expression }
      reads.push({ path: at.path, expected: written, getter })
    }
    return written
  }
  const write = (at: Place, of: Type): unknown => {
    switch (of._tag) {
      case "Value": {
        const n = bits(random, of.kind.size)
        statements.push(`${at.expression} = ${of.kind.literal(n)};`)
        return of.kind.value(n)
      }
      case "Bytes": {
        const bytes = content(random, of.name)
        const literal = `abi.encodePacked(hex"${bytesToHex(bytes).slice(2)}")`
        statements.push(`${at.expression} = ${of.name === "string" ? `string(${literal})` : literal};`)
        return of.name === "string" ? new TextDecoder().decode(bytes) : bytesToHex(bytes)
      }
      case "Struct":
        return Object.fromEntries(
          of.members.flatMap(([name, member]) => {
            const written = write(step(at, `.${name}`), member)
            return hasValue(member) ? [[name, written]] : []
          })
        )
      case "Array": {
        const room = Math.max(0, MAX_STATEMENTS - statements.length)
        const count = of.length ?? Math.min(Random.int(random, 5), room)
        if (of.length === undefined) for (let i = 0; i < count; i++) statements.push(`${at.expression}.push();`)
        return Array.from({ length: count }, (_, i) => write(step(at, `[${i}]`), of.base))
      }
      case "Mapping": {
        const known = new Set<string>()
        for (let i = Random.int(random, 3); i >= 0; i--) {
          const [path, expression] = key(random, of.key)
          if (known.has(path)) continue
          known.add(path)
          fill({ path: `${at.path}[${path}]`, expression: `${at.expression}[${expression}]` }, of.value)
        }
        return undefined
      }
    }
  }
  for (const [name, of] of parts.flatMap(({ variables }) => variables)) fill({ path: name, expression: name }, of)

  const declare = ([name, of]: readonly [string, Type]) => `${textOf(of)} ${name};`
  const groups = Array.from({ length: Math.ceil(statements.length / 16) }, (_, i) =>
    statements.slice(i * 16, i * 16 + 16)
  )
  const heads = ["contract A", "contract B is A", "contract C is A", "contract D is B, C"]
  const bodies = parts.map(({ variables }) => variables.map(declare).join(" "))
  bodies[3] += [
    "",
    ...groups.map((group, i) => `function fill${i}() external { ${group.join(" ")} }`),
    ...reads.flatMap(({ getter }, i) =>
      getter === undefined
        ? []
        : [`function get${i}() external view returns (${getter.type}) { return ${getter.expression}; }`]
    )
  ].join("\n")
  const source = [
    DEFINITIONS,
    ...structs.map(({ members, name }) => `struct ${name} { ${members.map(declare).join(" ")} }`),
    ...heads.map((head, i) => `${head} { ${bodies[i]} }`)
  ].join("\n")
  return { source, fills: groups.length, reads }
}

interface Place {
  readonly path: string
  readonly expression: string
}

const step = ({ expression, path }: Place, by: string): Place => ({ path: path + by, expression: expression + by })

const textOf = (type: Type): string => {
  switch (type._tag) {
    case "Value":
      return type.kind.type
    case "Array":
      return `${textOf(type.base)}[${type.length ?? ""}]`
    case "Mapping":
      return `mapping(${textOf(type.key)} => ${textOf(type.value)})`
    default:
      return type.name
  }
}

const returned = (type: Type): string => (type._tag === "Value" ? textOf(type) : `${textOf(type)} memory`)

/** True unless the type is a mapping or an array of mappings. */
const hasValue = (type: Type): boolean => (type._tag === "Array" ? hasValue(type.base) : type._tag !== "Mapping")

const hasMapping = (type: Type): boolean => {
  switch (type._tag) {
    case "Mapping":
      return true
    case "Array":
      return hasMapping(type.base)
    case "Struct":
      return type.members.some(([, member]) => hasMapping(member))
    default:
      return false
  }
}

/** Makes content of random length: empty, shorter than a word, a word, or longer. */
const content = (random: Random.Random, name: "string" | "bytes"): Uint8Array => {
  const length = Random.pick(random, [0, 1, 30, 31, 32, 33, 64, 65, Random.int(random, 120)])
  const bytes = Uint8Array.from({ length }, () =>
    name === "bytes" ? Random.int(random, 256) : 32 + Random.int(random, 95)
  )
  // a character of four bytes
  if (name === "string" && length > 8) bytes.set([0xf0, 0x9f, 0x9a, 0x80], 2)
  return bytes
}

/** Makes a random key, in the form of a path and as a Solidity expression. */
const key = (random: Random.Random, type: Type): readonly [path: string, expression: string] => {
  if (type._tag === "Value") {
    const n = bits(random, type.kind.size)
    return [String(type.kind.value(n)), type.kind.literal(n)]
  }
  const name = (type as Extract<Type, { _tag: "Bytes" }>).name
  const bytes = content(random, name)
  const expression = `abi.encodePacked(hex"${bytesToHex(bytes).slice(2)}")`
  return name === "string"
    ? [JSON.stringify(new TextDecoder().decode(bytes)), `string(${expression})`]
    : [bytesToHex(bytes), expression]
}
