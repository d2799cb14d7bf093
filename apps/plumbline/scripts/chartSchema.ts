/** The schema of the values of the Helm chart, whose `config` is the configuration file. */
import * as JsonSchema from "../src/config/JsonSchema.ts"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** The settings that the chart makes from other values. A dot separates a section and its setting. */
const OWN = new Set([
  "$schema",
  "server.host",
  "server.port",
  "tls",
  "state.folder",
  "admin.host",
  "admin.port",
  "admin.socket",
  "admin.token",
  "admin.tokenFile",
  "observability.metrics"
])

/** Returns the members of a group that the chart does not make itself. */
const given = (properties: Json, section: string): Json =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !OWN.has(`${section}${name}`)))

/**
 * Returns a schema for Helm. It has no descriptions, which Helm does not show, and one `$defs/variable`. A group cannot be
 * null, because Helm would then name both reasons for each mistake in the group.
 */
const forHelm = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(forHelm)
  if (!isObject(schema)) return schema
  const forms = schema["anyOf"]
  if (Array.isArray(forms) && forms[0]?.type === "object" && forms[1]?.type === "null") return forHelm(forms[0])
  if (JSON.stringify(schema) === JSON.stringify(JsonSchema.variable)) return { $ref: "#/$defs/variable" }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => (name !== "description" && name !== "default") || isObject(value))
      .map(([name, value]) => [name, forHelm(value)])
  )
}

/** Returns the schema of a section. */
const sectionOf = (name: string, schema: unknown): unknown =>
  isObject(schema) && isObject(schema["properties"])
    ? { ...schema, properties: given(schema["properties"], `${name}.`) }
    : schema

/** Returns the file with the schema of the configuration in it. The rest of the file is written by hand. */
export const rewrite = (text: string): string => {
  const file = JSON.parse(text)
  const { properties } = forHelm(JsonSchema.make()) as { readonly properties: Json }
  const sections = Object.entries(given(properties, "")).map(([name, section]) => [name, sectionOf(name, section)])
  const config = {
    type: "object",
    properties: Object.fromEntries(sections),
    required: ["networks"],
    additionalProperties: false
  }
  const made = {
    ...file,
    properties: { ...file.properties, config },
    $defs: { ...file.$defs, variable: JsonSchema.variable }
  }
  return `${JSON.stringify(made)}\n`
}
