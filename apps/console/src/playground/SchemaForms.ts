/** Makes forms from JSON Schemas: the fields of a parameter, and the JSON value that follows from their texts. */
import type * as JsonSchema from "effect/JsonSchema"

/** A form for a value. */
export type SchemaForm =
  /**
   * An input of one line. `options` are the texts that the schema lists; `patterns` are the patterns of the strings
   * that it accepts.
   */
  | {
      readonly _tag: "Text"
      readonly options: ReadonlyArray<string>
      readonly patterns: ReadonlyArray<RegExp>
      readonly isNumber: boolean
      /** The hint in an empty field. Default: the first options, or the prefix of hex. */
      readonly hint?: string | undefined
    }
  /** Yes or no. */
  | { readonly _tag: "Flag" }
  /** An input with one value per line. */
  | { readonly _tag: "Lines"; readonly item: SchemaForm & { readonly _tag: "Text" } }
  /** A field for each member. */
  | { readonly _tag: "Members"; readonly members: ReadonlyArray<FormMember> }
  /** A field with JSON as text, for values of any other form. */
  | { readonly _tag: "Json" }

/** A member of an object. */
export interface FormMember {
  readonly name: string
  readonly required: boolean
  readonly form: SchemaForm
}

/** The texts of a form's fields, by their paths, such as `filter.fromBlock`. */
export type FieldTexts = Readonly<Record<string, string>>

type Schemas = Readonly<Record<string, JsonSchema.JsonSchema>>

/** Maximum number of members of an object that each get a field. An object with more members is written as JSON. */
const MOST_MEMBERS = 24

/** Returns the form for values of a schema. */
export const formOf = (schema: JsonSchema.JsonSchema, schemas: Schemas, depth = 0): SchemaForm => {
  const branches = branchesOf(schema, schemas, 0).filter(({ type }) => type !== "null")
  if (branches.length > 0 && branches.every(({ type }) => type === "boolean")) return { _tag: "Flag" }
  const texts = branches.filter(({ type }) => type === "string" || type === "integer" || type === "number")
  if (texts.length > 0) {
    return {
      _tag: "Text",
      options: texts.flatMap((one) => (Array.isArray(one["enum"]) ? one["enum"].map(String) : [])),
      patterns: texts.flatMap((one) => patternsOf(one)),
      isNumber: texts.every(({ type }) => type !== "string")
    }
  }
  const [only, second] = branches
  if (only === undefined) return { _tag: "Json" }
  if (second !== undefined) return depth === 0 ? merged(branches, schemas) : { _tag: "Json" }
  if (only["type"] === "array" && isSchema(only["items"])) {
    const item = formOf(only["items"], schemas, depth + 1)
    return item._tag === "Text" ? { _tag: "Lines", item } : { _tag: "Json" }
  }
  const properties = Object.entries((only["properties"] ?? {}) as Schemas)
  if (only["type"] !== "object" || properties.length === 0 || properties.length > MOST_MEMBERS || depth > 0) {
    return { _tag: "Json" }
  }
  const required = (only["required"] ?? []) as ReadonlyArray<string>
  return {
    _tag: "Members",
    members: properties.map(([name, one]) => ({
      name,
      required: required.includes(name),
      form: formOf(one, schemas, depth + 1)
    }))
  }
}

/** Returns the form for objects of several kinds. A member is required if every kind requires it. */
const merged = (branches: ReadonlyArray<JsonSchema.JsonSchema>, schemas: Schemas): SchemaForm => {
  const forms = branches.map((one) => formOf(one, schemas))
  const objects = forms.flatMap((form) => (form._tag === "Members" ? [form.members] : []))
  if (objects.length < forms.length) return { _tag: "Json" }
  const byName = Map.groupBy(objects.flat(), ({ name }) => name)
  return {
    _tag: "Members",
    members: [...byName].map(([name, some]) => ({
      name,
      required: some.length === objects.length && some.every(({ required }) => required),
      // a kind of object that forbids this member has "Json" for it, so the form comes from another kind
      form: (some.find(({ form }) => form._tag !== "Json") ?? some[0]!).form
    }))
  }
}

/** Returns the alternatives of a schema, with references followed. */
const branchesOf = (
  schema: JsonSchema.JsonSchema,
  schemas: Schemas,
  depth: number
): ReadonlyArray<JsonSchema.JsonSchema> => {
  if (depth > 12) return []
  const { $ref, allOf, anyOf, oneOf } = schema as Readonly<Record<string, unknown>>
  if (typeof $ref === "string") {
    const found = schemas[$ref.split("/").at(-1)!]
    return found === undefined ? [] : branchesOf(found, schemas, depth + 1)
  }
  const several = anyOf ?? oneOf
  if (Array.isArray(several)) return several.flatMap((one) => branchesOf(one, schemas, depth + 1))
  if (Array.isArray(allOf) && schema["type"] === undefined) {
    return allOf.slice(0, 1).flatMap((one) => branchesOf(one, schemas, depth + 1))
  }
  return [schema]
}

const patternsOf = (schema: JsonSchema.JsonSchema): ReadonlyArray<RegExp> => {
  const all = [schema, ...((schema["allOf"] ?? []) as ReadonlyArray<JsonSchema.JsonSchema>)]
  return all.flatMap(({ pattern }) => (typeof pattern === "string" ? [new RegExp(pattern, "u")] : []))
}

const isSchema = (value: unknown): value is JsonSchema.JsonSchema => typeof value === "object" && value !== null

/** The outcome of reading fields: a value, nothing if all fields are empty, or a mistake. */
export type FieldReading =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Mistake"; readonly says: string }

const EMPTY: FieldReading = { _tag: "Empty" }

/** Reads the JSON value of a form from its texts. */
export const read = (form: SchemaForm, texts: FieldTexts, path: string): FieldReading => {
  const text = (texts[path] ?? "").trim()
  switch (form._tag) {
    case "Flag":
      return text === "" ? EMPTY : { _tag: "Value", value: text === "true" }
    case "Text":
      return text === "" ? EMPTY : valueOf(form, text)
    case "Json":
      return text === "" ? EMPTY : json(text)
    case "Lines": {
      const items = text.split(/[\n,]+/u).flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))
      if (items.length === 0) return EMPTY
      return text.startsWith("[")
        ? json(text)
        : all(
            items.map((item) => valueOf(form.item, item)),
            (values) => values
          )
    }
    case "Members": {
      const found = form.members.map(({ form, name }) => [name, read(form, texts, `${path}.${name}`)] as const)
      const given = found.filter(([, one]) => one._tag !== "Empty")
      if (given.length === 0) return EMPTY
      return all(
        given.map(([, one]) => one),
        (values) => Object.fromEntries(given.map(([name], at) => [name, values[at]]))
      )
    }
  }
}

const all = (reads: ReadonlyArray<FieldReading>, make: (values: ReadonlyArray<unknown>) => unknown): FieldReading => {
  const mistake = reads.find(({ _tag }) => _tag === "Mistake")
  if (mistake !== undefined) return mistake
  return { _tag: "Value", value: make(reads.map((one) => (one._tag === "Value" ? one.value : undefined))) }
}

/** Reads one line. A decimal number becomes a quantity if only a quantity fits. JSON is kept unchanged. */
const valueOf = (
  { isNumber, options, patterns }: SchemaForm & { readonly _tag: "Text" },
  text: string
): FieldReading => {
  if (/^(?:[[{"]|null$)/u.test(text)) return json(text)
  if (isNumber) return /^-?\d+(?:\.\d+)?$/u.test(text) ? { _tag: "Value", value: Number(text) } : mistake("a number")
  const fits = (one: string): boolean => options.includes(one) || patterns.some((pattern) => pattern.test(one))
  if (/^\d{1,78}$/u.test(text) && !fits(text)) {
    const quantity = `0x${BigInt(text).toString(16)}`
    if (fits(quantity)) return { _tag: "Value", value: quantity }
  }
  return { _tag: "Value", value: text }
}

const mistake = (wanted: string): FieldReading => ({ _tag: "Mistake", says: `Expected ${wanted}` })

const json = (text: string): FieldReading => {
  try {
    return { _tag: "Value", value: JSON.parse(text) }
  } catch {
    return mistake("JSON")
  }
}

/** Converts a JSON value into the texts of a form. */
export const write = (form: SchemaForm, value: unknown, path: string): FieldTexts => {
  if (value === undefined || value === null) return {}
  switch (form._tag) {
    case "Members":
      return typeof value === "object" && !Array.isArray(value)
        ? Object.assign(
            {},
            ...form.members.map(({ form, name }) =>
              write(form, (value as Readonly<Record<string, unknown>>)[name], `${path}.${name}`)
            )
          )
        : {}
    case "Lines":
      return { [path]: Array.isArray(value) ? value.map(plain).join("\n") : plain(value) }
    case "Json":
      return { [path]: JSON.stringify(value, null, 2) }
    default:
      return { [path]: plain(value) }
  }
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
