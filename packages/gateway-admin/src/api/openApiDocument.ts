/** Prepares the OpenAPI document of the admin API for publication. */
import { DIGITS } from "./AdminModel.ts"

type Json = Record<string, any>

/**
 * Returns the document in the form that client generators need: schemas have names without `Encoded`, each parameter
 * has its description beside its schema, and whole numbers in a query have the type `integer`.
 */
export const forReaders = (document: Json): Json => {
  const text = JSON.stringify(document).replaceAll(/(?<=#\/components\/schemas\/\w+)Encoded(?=")/gu, "")
  const named: Json = JSON.parse(text)
  const schemas = Object.entries<Json>(named["components"].schemas).map(
    ([name, schema]) => [name.replace(/Encoded$/u, ""), schema] as const
  )
  named["components"].schemas = Object.fromEntries(schemas.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  for (const operation of Object.values<Json>(named["paths"]).flatMap((item) => Object.values<Json>(item))) {
    operation["parameters"] = operation["parameters"].map((parameter: Json) => {
      const { description, ...schema } = parameter["schema"]
      const isWhole = schema.pattern === DIGITS.source
      return { ...parameter, description, schema: isWhole ? { type: "integer" } : schema }
    })
  }
  return named
}
