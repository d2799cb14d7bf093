/**
 * Renders an OpenAPI document as a page for people. The page is one file without scripts, and loads no other files.
 *
 * The usual viewers would run megabytes of script on the origin where the admin token is used.
 */
import { hash } from "node:crypto"

import type * as OpenApi from "effect/http-api/OpenApi"

export const page = (document: OpenApi.OpenAPISpec): string => {
  const { components, info, paths, tags } = document
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ path, method, operation }]
    })
  )
  const groups = tags.map(({ description = "", name }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name))
  }))
  const forms = components.schemas as Schemas
  const links = groups.map(({ name }) => `<a href="#${text(name)}">${text(name)}</a>`).join("\n")
  const sections = groups.map(
    ({ description, name, operations }) =>
      `<section><h2 id="${text(name)}">${text(name)}</h2>\n<p>${text(description)}</p>\n${operations.map((one) => articleOf(one, forms)).join("\n")}</section>`
  )
  const schemas = Object.entries(forms).map(
    ([name, schema]) => `<dt id="${text(name)}">${text(name)}</dt><dd><pre>${shape(schema, "")}</pre></dd>`
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${text(info.title)}</h1>
<p>${text(info.description ?? "")}</p>
<p>Every request carries <code>Authorization: Bearer &lt;admin token&gt;</code>. The same as a document for programs:
<a href="/admin/openapi.json">openapi.json</a> (OpenAPI ${text(document.openapi)}).</p>
<nav>${links}
<a href="#forms">forms</a></nav>
</header>
<main>
${sections.join("\n")}
<section><h2 id="forms">forms</h2><dl>${schemas.join("\n")}</dl></section>
</main>
</body>
</html>
`
}

// Private: parts of the page. Text from the document is always escaped.

const METHODS = ["get", "post", "put", "patch", "delete"] as const

interface Operation {
  readonly path: string
  readonly method: string
  readonly operation: OpenApi.OpenAPISpecOperation
}

/** The part of a JSON Schema that the page shows. */
interface Json {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Json>
  readonly allOf?: ReadonlyArray<Json>
  readonly items?: Json
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: ReadonlyArray<string>
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
}

type Schemas = Readonly<Record<string, Json>>

const resolved = (schema: Json, schemas: Schemas): Json =>
  (schema.$ref === undefined ? undefined : schemas[nameOf(schema.$ref)]) ?? schema

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

interface Content {
  readonly "application/json"?: { readonly schema: Json }
}

const articleOf = ({ method, operation, path }: Operation, schemas: Schemas): string => {
  const rows = operation.parameters.map(
    ({ description, in: where, name, required, schema }) =>
      `<tr><td><code>${text(name)}</code></td><td>${text(where)}${required ? "" : ", optional"}</td>` +
      `<td><code>${shape(schema as Json, "")}</code></td><td>${text(description ?? "")}</td></tr>`
  )
  const body = schemaOf(operation.requestBody?.content)
  const example = body === undefined ? undefined : resolved(body, schemas).examples?.[0]
  const answers = Object.entries(operation.responses).map(([status, answer]) => {
    const schema = schemaOf(answer.content)
    const form = schema === undefined ? "" : `<pre>${shape(schema, "")}</pre>`
    return `<dt>${text(status)} ${text(answer.description)}</dt><dd>${form}</dd>`
  })
  return `<article id="${text(operation.operationId)}">
<h3><b class="${text(method)}">${text(method.toUpperCase())}</b> <code>${text(path)}</code></h3>
<p>${text(operation.summary ?? "")}</p>
<pre class="curl">${text(curlOf({ method, operation, path }, example))}</pre>
${rows.length === 0 ? "" : `<table>${rows.join("")}</table>`}
${body === undefined ? "" : `<h4>Body</h4><pre>${shape(body, "")}</pre>`}
<details><summary>Answers</summary><dl>${answers.join("")}</dl></details>
</article>`
}

const schemaOf = (content: Content | undefined): Json | undefined => content?.["application/json"]?.schema

/** Returns a shell command for an operation. The reader replaces `{id}` in it. */
const curlOf = ({ method, operation, path }: Operation, example: unknown): string => {
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => `${name}=${QUERY[name] ?? `{${name}}`}`)
  return [
    "curl",
    ...(method === "get" ? [] : [`-X ${method.toUpperCase()}`]),
    '-H "Authorization: Bearer $PLUMBLINE_ADMIN_TOKEN"',
    ...(example === undefined ? [] : [`-H 'Content-Type: application/json' -d '${JSON.stringify(example)}'`]),
    `"$PLUMBLINE_URL${path}${query.length === 0 ? "" : `?${query.join("&")}`}"`
  ].join(" ")
}

const QUERY: Readonly<Record<string, string>> = { by: "network", everySeconds: "3600" }

/** Renders a schema as HTML, in the syntax of a TypeScript type. */
const shape = (schema: Json, indent: string): string => {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return `<a href="#${text(name)}">${text(name)}</a>`
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => text(JSON.stringify(value))).join(" | ")
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => shape(one, indent)).join(" | ")
  switch (schema.type) {
    case "array":
      return schema.items === undefined ? "array" : `Array&lt;${shape(schema.items, indent)}&gt;`
    case "object": {
      const inner = `${indent}  `
      const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
        const mark = schema.required?.includes(name) === true ? "" : "?"
        const said = member.description === undefined ? "" : `${inner}<i>// ${text(member.description)}</i>\n`
        return `${said}${inner}${text(name)}${mark}: ${shape(member, inner)}\n`
      })
      return members.length === 0 ? "{}" : `{\n${members.join("")}${indent}}`
    }
    default:
      return text(schema.type ?? "anything")
  }
}

const text = (raw: string): string => raw.replaceAll(/[&<>"']/gu, (char) => `&#${char.charCodeAt(0)};`)

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #2463a8 }
@media (prefers-color-scheme: dark) { :root { --accent: #7fb2ea } }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 16px/1.5 system-ui, sans-serif }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); text-transform: capitalize }
article { margin: 2rem 0; padding: 0 1rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 6px }
a { color: var(--accent) }
nav a { margin-right: 1rem }
code, pre { font: 14px/1.45 ui-monospace, monospace }
pre { overflow-x: auto; padding: .75rem; margin: .5rem 0; background: var(--soft); border-radius: 4px }
pre i { opacity: .7 }
h3 b { display: inline-block; min-width: 4.5rem; color: var(--accent) }
h3 b.delete { color: #c0392b }
table { border-collapse: collapse }
td { padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
dt { margin-top: .75rem; font-weight: 600 }
dd { margin-left: 0 }
summary { cursor: pointer }
`

/** The Content-Security-Policy of the page: no scripts, and no other files. */
export const contentPolicy: string = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", STYLE, "base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")
