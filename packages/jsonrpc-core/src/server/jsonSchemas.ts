/** JSON Schemas of wire values, with shared definitions. */
import * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"

import type { JsonCodec } from "../method/Method.ts"

type Representation = SchemaRepresentation.Representation

/** The Schemas of a document, in draft 7, and the definitions that they refer to. */
export interface CompiledSchemas {
  readonly of: (schema: JsonCodec) => JsonSchema.JsonSchema
  readonly definitions: JsonSchema.Definitions
}

/**
 * Returns JSON Schemas for the encoded sides of Schemas. Schemas with an identifier become definitions at
 * `#/components/schemas`. If two different schemas have the same name, one is renamed.
 */
export const compile = (schemas: ReadonlyArray<JsonCodec>): CompiledSchemas => {
  const [first, ...rest] = schemas.map(({ ast }) => ast)
  if (first === undefined) {
    return { of: () => ({}), definitions: {} }
  }
  const { references, representations } = SchemaRepresentation.toRepresentations([first, ...rest], { referencePolicy })
  const document = SchemaRepresentation.toJsonSchemaMultiDocument({
    representations: [onWire(representations[0]), ...representations.slice(1).map(onWire)],
    references: Object.fromEntries(Object.entries(references).map(([name, of]) => [name, onWire(of)]))
  })
  const compiled = new Map(
    schemas.map((schema, index) => [schema, toDraft7(document.schemas[index]!, document.definitions).schema])
  )
  return {
    of: (schema) => compiled.get(schema) ?? {},
    definitions: toDraft7({}, document.definitions).definitions
  }
}

/**
 * Names definitions. By default the encoded side of a Schema `Wei` is called `WeiEncoded`. Here all sides are encoded,
 * so the name is `Wei`.
 */
const referencePolicy: SchemaRepresentation.ReferencePolicy = ({ identifier }) =>
  identifier?.replace(/(?<=.)Encoded$/u, "")

/**
 * JSON has neither `undefined` nor numbers that are not finite. A generic JSON Schema represents these values by `null`
 * and texts such as `"NaN"`. On this wire an undefined member is omitted, and no text is a number.
 */
const onWire = (node: Representation): Representation => {
  switch (node._tag) {
    case "Number":
      return { ...node, checks: [...finite, ...node.checks] }
    case "Union": {
      const types = node.types.filter(({ _tag }) => _tag !== "Undefined").map(onWire)
      return types.length === 0 ? node : { ...node, types }
    }
    case "Arrays":
      return {
        ...node,
        elements: node.elements.map((element) => ({ ...element, type: onWire(element.type) })),
        rest: node.rest.map(onWire)
      }
    case "Objects":
      return {
        ...node,
        propertySignatures: node.propertySignatures.map((member) => ({ ...member, type: onWire(member.type) })),
        indexSignatures: node.indexSignatures.map((member) => ({ ...member, type: onWire(member.type) }))
      }
    case "Suspend":
      return { ...node, thunk: onWire(node.thunk) }
    default:
      return node
  }
}

const finite = /* @__PURE__ */ (() => {
  const { representation } = SchemaRepresentation.toRepresentation(Schema.Finite.ast)
  return representation._tag === "Number" ? representation.checks : []
})()

const toDraft7 = (schema: JsonSchema.JsonSchema, definitions: JsonSchema.Definitions) => {
  const document = JsonSchema.toDocumentDraft07({ dialect: "draft-2020-12", schema, definitions })
  return {
    schema: withComponents(document.schema) as JsonSchema.JsonSchema,
    definitions: withComponents(document.definitions) as JsonSchema.Definitions
  }
}

/**
 * Returns the schema with references to the components of the document. Values that are data rather than Schemas stay
 * unchanged.
 */
const withComponents = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.map(withComponents)
  }
  if (typeof value !== "object" || value === null) {
    return value
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === "$ref" && typeof member === "string") {
        return [name, member.replace(/^#\/definitions\//u, "#/components/schemas/")]
      }
      return [name, DATA.has(name) ? member : withComponents(member)]
    })
  )
}

const DATA: ReadonlySet<string> = /* @__PURE__ */ new Set(["const", "default", "enum", "examples"])
