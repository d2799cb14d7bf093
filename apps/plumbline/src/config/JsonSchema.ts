/**
 * The JSON Schema of the configuration file, for editors: draft 2020-12.
 */
import * as Schema from "effect/Schema"

import { ConfigFile } from "./ConfigFile.ts"

/** Makes the document. Every value may also be a `${NAME}`. */
export const make = (): object => {
  const { schema } = Schema.toJsonSchemaDocument(ConfigFile, {
    onExcessProperty: "error",
    includeAnnotationKey: (key) => kept.has(key)
  })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Plumbline",
    ...(withVariables(schema) as object)
  }
}

/** The rules between settings, which are annotations of their groups. */
const kept: ReadonlySet<string> = new Set(["oneOf", "not", "propertyNames", "minProperties"])

/** A text that holds a `${NAME}`. */
export const variable = { type: "string", pattern: "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}" }

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const withVariables = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema
  if (schema["type"] === "object") return groupOf(schema)
  if (schema["type"] === "array") return { ...schema, items: withVariables(schema["items"]) }
  const { default: fallback, description, ...rest } = schema
  const about = {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback })
  }
  // the Schema already accepts any text
  if (rest["type"] === "string" && rest["pattern"] === undefined && rest["enum"] === undefined) return schema
  const forms = Array.isArray(rest["anyOf"]) ? rest["anyOf"] : [rest]
  return { ...about, anyOf: [...forms, variable] }
}

/** Returns the Schema of a group or of entries, which can be left empty. */
const groupOf = (schema: Json): Json => {
  const { additionalProperties, properties, ...rest } = schema
  return {
    ...rest,
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, orEmpty(member)])) }
      : {}),
    additionalProperties: withVariables(additionalProperties)
  }
}

/** Accepts null for an empty section: `server:` without a value is null in YAML. */
const orEmpty = (schema: unknown): unknown => {
  const made = withVariables(schema)
  return isObject(made) && made["type"] === "object"
    ? { description: made["description"], anyOf: [made, { type: "null" }] }
    : made
}
