/** Other projects' clients, with their default settings. */
import { inspect } from "node:util"

import * as DagCbor from "@ipld/dag-cbor"

import { digestOf } from "../../suite/content.ts"
import { type Client, clients, type Ipfs } from "../../suite/npmClients.ts"
import { type Contender, PATIENCE } from "../ipfsContender.ts"
import { endless, MOST, type Seen, TooMuch } from "../ipfsObservation.ts"
import { archiveShown } from "../shown.ts"
import * as Truth from "../trueContent.ts"

/** Returns all bytes, up to the bound. */
const collected = async (bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > MOST) throw new TooMuch()
    pieces.push(piece)
  }
  return new Uint8Array(Buffer.concat(pieces))
}

/** Returns values as text, each written by `show`. */
const listed = async <A>(values: AsyncIterable<A>, show: (value: A) => string): Promise<string> => {
  const shown: Array<string> = []
  let size = 0
  for await (const value of values) {
    shown.push(show(value))
    size += shown.at(-1)!.length
    if (size > MOST) throw new TooMuch()
  }
  return shown.join(", ")
}

interface Options {
  readonly signal: AbortSignal
  readonly timeout: number
}

const reads: {
  readonly [read in Truth.Read]: (ipfs: Ipfs, options: Options) => Promise<string>
} = {
  cat: async (ipfs, options) => digestOf(await collected(ipfs.cat(Truth.cids.file, options))),
  range: async (ipfs, options) => digestOf(await collected(ipfs.cat(Truth.cids.file, { ...Truth.RANGE, ...options }))),
  block: async (ipfs, options) => digestOf(await ipfs.block.get(Truth.chunks[0]!, options)),
  data: async (ipfs, options) => digestOf(DagCbor.encode((await ipfs.dag.get(Truth.data, options)).value)),
  ls: (ipfs, options) =>
    listed(ipfs.ls(Truth.cids.directory, options), ({ cid, name, size, type }) =>
      Truth.entryShown(name, cid, size, type)
    ),
  stat: async (ipfs, options) => {
    const { cid, cumulativeSize, size, type } = await ipfs.files.stat(`/ipfs/${String(Truth.cids.file)}`, options)
    return `${String(cid)} ${size} ${cumulativeSize} ${type}`
  },
  get: async (ipfs, options) => archiveShown(await collected(ipfs.get(Truth.cids.directory, options))),
  export: async (ipfs, options) => digestOf(await collected(ipfs.dag.export(Truth.cids.file, options))),
  add: async (ipfs, options) => {
    const added = await ipfs.add({ path: "b.bin", content: Truth.FILE }, options)
    return `${added?.path} ${String(added?.cid)} ${added?.size}`
  },
  addAll: (ipfs, options) =>
    listed(ipfs.addAll(Truth.FILES, { ...options, wrapWithDirectory: true }), ({ cid, path, size }) =>
      [path, String(cid), size].join(" ")
    ),
  blockPut: async (ipfs, options) => String(await ipfs.block.put(Truth.BLOCK, { format: "raw", ...options })),
  dataPut: async (ipfs, options) => String(await ipfs.dag.put(Truth.DATA, options)),
  pins: (ipfs, options) => listed(ipfs.pin.ls(options), ({ cid, type }) => `${String(cid)} ${type}`),
  version: async (ipfs, options) => (await ipfs.version(options)).version
}

/** The errors that these clients export, and the platform's error for a request that was aborted. */
const TYPED: ReadonlySet<string> = new Set(["HTTPError", "TimeoutError", "AbortError"])

const failed = (error: unknown): Seen => {
  if (error instanceof TooMuch) return endless
  const kind = error instanceof Error ? error.name : typeof error
  return { _tag: TYPED.has(kind) ? "Refused" : "Untyped", kind, printed: inspect(error) }
}

const contender = (client: Client): Contender => ({
  title: `${client.name} ${client.version}`,
  verifies: false,
  perform: (read, url, signal) =>
    reads[read](client.open({ url, headers: {} }), { signal, timeout: PATIENCE }).then(
      (shown) => ({ _tag: "Value", shown }),
      failed
    )
})

export const [kubo, old] = clients.map(contender) as [Contender, Contender]
