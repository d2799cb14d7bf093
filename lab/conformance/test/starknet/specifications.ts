/** The versions of the specification in the set, and samples made from their JSON Schemas. */
import { files, json } from "../support/fixtures.ts"

type Json = Readonly<Record<string, any>>

/** One version. */
export interface Specification {
  /** The version as nodes write it: `0.10.2`. */
  readonly version: string
  /** The methods of the specification, by name. */
  readonly methods: ReadonlyMap<string, Json>
  /** The components of the specification, by name. */
  readonly schemas: Json
}

/** All versions of the set, the oldest first, except a draft with fields that no release has. */
export const specifications = (): ReadonlyArray<Specification> =>
  files("4-starknet/specs/v*/starknet_api_openrpc.json")
    .filter((file) => !file.includes("-rc"))
    .map((file) => {
      const read = json(file)
      const write = json(file.replace("api_openrpc", "write_api"))
      const methods: ReadonlyArray<Json> = [...read.methods, ...write.methods]
      return {
        version: /v([\d.]+)\//u.exec(file)![1]!,
        methods: new Map(methods.map((method) => [method["name"], method])),
        schemas: { ...write.components.schemas, ...read.components.schemas }
      }
    })
    .toSorted((a, b) => a.version.localeCompare(b.version, "en", { numeric: true }))

/** The fields that a sample has. */
export type Fields = "all" | "required"

/** For each named pattern of the specifications, a text that fits it. */
const byName: Readonly<Record<string, string>> = {
  FELT: `0x7${"f".repeat(62)}`,
  NUM_AS_HEX: "0xabc",
  STORAGE_KEY: "0xabc",
  ETH_ADDRESS: `0x${"ab".repeat(20)}`,
  L1_TXN_HASH: `0x${"ab".repeat(32)}`,
  u64: "0xffffffffffffffff",
  u128: `0x${"f".repeat(32)}`
}

/**
 * Returns every form that a Schema allows, with one sample of each alternative. The values of texts and numbers do not
 * vary.
 */
export const samples = (specification: Specification, schema: Json, fields: Fields): ReadonlyArray<unknown> => {
  const all = (inner: Json): ReadonlyArray<unknown> => samples(specification, inner, fields)
  const reference: string | undefined = schema["$ref"] ?? schema["ref"]
  if (reference !== undefined) {
    const name = reference.split("/").at(-1)!
    return byName[name] === undefined ? all(specification.schemas[name]) : [byName[name]]
  }
  if (schema["oneOf"] !== undefined) return schema["oneOf"].flatMap(all)
  if (schema["enum"] !== undefined) return schema["enum"]
  if (schema["allOf"] !== undefined) {
    const own = schema["properties"] === undefined ? [] : [all({ ...schema, allOf: undefined })]
    const parts: ReadonlyArray<ReadonlyArray<any>> = [...schema["allOf"].map(all), ...own]
    return parts.reduce((wholes, part) => wholes.flatMap((whole) => part.map((more) => ({ ...whole, ...more }))), [{}])
  }
  if (schema["properties"] !== undefined || schema["type"] === "object") {
    const properties: Json = schema["properties"] ?? {}
    const required: ReadonlyArray<string> = schema["required"] ?? []
    // The specification 0.4.0 misspells one name.
    const isMisspelt = required.some((name) => properties[name] === undefined)
    const members = Object.entries<Json>(properties).filter(
      ([name]) => fields === "all" || isMisspelt || required.includes(name)
    )
    return members.reduce<ReadonlyArray<Json>>(
      (wholes, [name, member]) => {
        const values = all(member)
        // Each value occurs at least once. Not every combination of the members' values is needed.
        return Array.from({ length: Math.max(wholes.length, values.length) }, (_, at) => ({
          ...wholes[at % wholes.length],
          [name]: values[at % values.length]
        }))
      },
      [{}]
    )
  }
  switch (schema["type"]) {
    case "array":
      return [all(schema["items"])]
    case "integer":
      return [1]
    case "boolean":
      return [false]
    default:
      return schema["title"] === undefined && schema["type"] === undefined ? [{}] : ["text"]
  }
}

/** A transaction made from a specification, with its kind and version. */
export interface Made {
  readonly kind: string
  readonly fields: Json
}

/** Returns different transactions of one type, made from the component `name`; none if it does not exist. */
export const transactions = (
  specification: Specification,
  type: string,
  name: string,
  fields: Fields
): ReadonlyArray<Made> => {
  const described: Json | undefined = specification.schemas[name]
  const made = (described === undefined ? [] : samples(specification, described, fields)).map((sample) => {
    const { isSaid, number } = versionOf(type, sample as Json)
    // Up to 0.3, all transactions share one description of type and version.
    const own = { ...(sample as Json), type, ...(isSaid ? {} : { version: `0x${number}` }) }
    return { kind: `${type} v${number}`, fields: own }
  })
  return [...new Map(made.map((one) => [JSON.stringify(one), one])).values()]
}

/**
 * Returns the version that a sample names. If the specification accepts any number as the version, the sample's number
 * says nothing; then returns the version that has the sample's fields.
 */
const versionOf = (type: string, sample: Json): { readonly number: number; readonly isSaid: boolean } => {
  const said = /^0x(?:10{31})?([0-3])$/u.exec(String(sample["version"]))
  if (said !== null) return { number: Number(said[1]), isSaid: true }
  if (sample["compiled_class_hash"] !== undefined) return { number: 2, isSaid: false }
  return { number: sample["entry_point_selector"] !== undefined || type === "DEPLOY" ? 0 : 1, isSaid: false }
}
