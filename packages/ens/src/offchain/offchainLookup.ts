/** The revert by which a contract names its gateways (EIP-3668), and the batches of such requests (ENSIP-21). */
import type * as Hex from "@plumbline/codec/hex/Hex"

import * as Abi from "../coding/abiCoding.ts"

/** One request to gateways. */
export interface GatewayQuery {
  readonly sender: Hex.Hex
  readonly urls: ReadonlyArray<string>
  readonly data: Hex.Hex
}

/** A lookup: a request, and the callback that takes its answer. */
export interface OffchainLookup extends GatewayQuery {
  readonly callback: Hex.Hex
  readonly extraData: Hex.Hex
}

/** The selector of `OffchainLookup(address,string[],bytes,bytes4,bytes)`. */
export const SELECTOR = "0x556f1830"

/** The URL that stands for a batch, which the reader takes apart. */
export const LOCAL_BATCH = "x-batch-gateway:true"

/** Reads the bytes of a revert with `SELECTOR`. */
export const parse = (data: Hex.Hex): OffchainLookup | undefined => {
  const values = Abi.decodeBody([Abi.address, Abi.strings, Abi.bytes, Abi.bytes4, Abi.bytes], data)
  if (values === undefined) return undefined
  const [sender, urls, query, callback, extraData] = values
  return { sender, urls, data: query, callback, extraData }
}

/** Returns the data of the call that hands a gateway's answer to the contract. */
export const callbackData = ({ callback, extraData }: OffchainLookup, answer: Hex.Hex): Hex.Hex =>
  Abi.encode(callback, [Abi.bytes, Abi.bytes], [answer, extraData])

const QUERY = "0xa780bab6"

const QUERIES = {
  type: "tuple[]",
  components: [
    { name: "sender", type: "address" },
    { name: "urls", type: "string[]" },
    { name: "data", type: "bytes" }
  ]
} as const

/** Reads the requests of a batch: the data of `query((address,string[],bytes)[])`. */
export const parseBatch = (data: Hex.Hex): ReadonlyArray<GatewayQuery> | undefined =>
  Abi.selectorOf(data) === QUERY ? Abi.decodeBody([QUERIES], data)?.[0] : undefined

/** The answer to one request of a batch, or the bytes of an error. */
export interface BatchAnswer {
  readonly isFailure: boolean
  readonly data: Hex.Hex
}

/** Returns the answer to a batch. */
export const batchAnswer = (answers: ReadonlyArray<BatchAnswer>): Hex.Hex =>
  Abi.encode(
    "0x",
    [{ type: "bool[]" }, { type: "bytes[]" }],
    [answers.map(({ isFailure }) => isFailure), answers.map(({ data }) => data)]
  )

/** Returns the bytes of `HttpError(uint16,string)`. A gateway that gave no answer has the status 0. */
export const httpError = (status: number): Hex.Hex => Abi.encode(HTTP_ERROR, [Abi.uint16, Abi.string], [status, ""])

/** The selector of `HttpError(uint16,string)`. */
export const HTTP_ERROR = "0x01800152"

/** Returns the hosts of a request, those of a batch included: at most 8. */
export const hostsOf = (query: GatewayQuery): ReadonlyArray<string> => {
  const queries = query.urls.includes(LOCAL_BATCH) ? (parseBatch(query.data) ?? []) : [query]
  const hosts = queries.flatMap(({ urls }) => urls.slice(0, MAX_HOSTS).flatMap((url) => hostOf(url) ?? []))
  return [...new Set(hosts)].slice(0, MAX_HOSTS)
}

const MAX_HOSTS = 8

/** Maximum length of a URL, before and after its templates are filled, in characters. */
const MAX_URL = 2 ** 16

/** Maximum length of a host with its port: names of DNS have at most 253 characters. */
const MAX_HOST = 253 + ":65535".length

/** Returns the host of a URL; undefined if it has none that can be asked. The rest of a URL may hold a key. */
export const hostOf = (url: string): string | undefined => filled(url, "0x", "0x")?.host

/** Fills the templates of a URL; undefined if that is no URL with a host, or it is too long. */
export const filled = (template: string, sender: Hex.Hex, data: Hex.Hex): URL | undefined => {
  // a template can repeat its parts, so its length is checked first
  const growth = (part: string, value: string): number =>
    (template.split(part).length - 1) * (value.length - part.length)
  if (template.length > MAX_URL) return undefined
  if (template.length + growth(SENDER, sender) + growth(DATA, data) > MAX_URL) return undefined
  const text = template.replaceAll(SENDER, sender.toLowerCase()).replaceAll(DATA, data)
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url === undefined || url.host === "" || url.host.length > MAX_HOST ? undefined : url
}

const SENDER = "{sender}"

/** The template of the data. A URL without it is asked by POST. */
export const DATA = "{data}"
