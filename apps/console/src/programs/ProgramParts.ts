/**
 * Writes programs to paste: the parts that the programs of all screens share. A program holds placeholders in place of a
 * key and its secret, unless the page has just shown both.
 */

/** A program with its name. */
export interface Program {
  readonly name: string
  readonly text: string
}

/** A program with the sentence above it, which says how it is run. */
export interface Explained extends Program {
  readonly how: string
}

/** The placeholder for an API key. */
export const YOUR_KEY = "YOUR_KEY"
/** The placeholder for the secret of a key. */
export const YOUR_SECRET = "YOUR_SECRET"

/** A key and its secret, as HTTP Basic authentication joins them. */
export const pairOf = (apiKey: string = YOUR_KEY, apiKeySecret: string = YOUR_SECRET): string =>
  `${apiKey}:${apiKeySecret}`

/** Quotes a text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Writes a command of a shell, with one option on each line. */
export const shell = (...lines: ReadonlyArray<string>): string => lines.join(" \\\n  ")

/** Writes a call of JSON-RPC for curl. `options` are further options, such as headers. */
export const curl = (url: string, call: object, ...options: ReadonlyArray<string>): string =>
  shell(
    `curl --silent ${quoted(url)}`,
    ...options,
    "--header 'content-type: application/json'",
    `--data ${quoted(JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }))}`
  )

const authorization = (pair: string): string => `headers: { authorization: "Basic " + btoa("${pair}") }`

/** Writes a program of viem. `ask` is an expression over `client`; with `pair`, the secret goes with every call. */
export const viem = (url: string, ask: string, pair?: string): Program => ({
  name: "viem",
  text: `import { createPublicClient, http } from "viem"

const client = createPublicClient({
  transport: http("${url}"${pair === undefined ? "" : `, { fetchOptions: { ${authorization(pair)} } }`})
})
console.log(${ask})`
})

/** Writes a program of kubo-rpc-client. `ask` is the lines that use `ipfs`; `names` are further imports. */
export const kubo = (origin: string, ask: string, pair: string, ...names: ReadonlyArray<string>): Program => ({
  name: "kubo-rpc-client",
  text: `import { ${[...names, "create"].join(", ")} } from "kubo-rpc-client"

const ipfs = create({
  url: "${origin}/api/v0",
  ${authorization(pair)}
})
${ask}`
})

/** Writes the transport of our packages. */
export const transport = (url: string, pair?: string): string =>
  `HttpTransport.layer({ url: "${url}"${pair === undefined ? "" : `, ${authorization(pair)}`} })`
