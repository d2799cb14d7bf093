/** A service with IPFS: a node that the test defines, and requests as clients send them. */
import { type IpfsOptions, IpfsProduct } from "@plumbline/gateway-ipfs"
import * as State from "@plumbline/gateway/support/accounts"
import * as Service from "@plumbline/gateway/support/service"
import { KEY, SECRET } from "@plumbline/gateway/support/service"
import { Cid, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, type Logger, Stream } from "effect"

/** The CID of "hello\n", as Kubo adds it. Source: Kubo's own tests. */
export const HELLO = Cid.fromTextUnsafe("QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN")
/** The CID of the empty directory. */
export const EMPTY = Cid.fromTextUnsafe("QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn")
export const RAW = Cid.fromTextUnsafe("bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq")

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const undone = (name: string) => Effect.die(new Error(`nobody should ask for ${name}`))
const undoneStream = (name: string) => Stream.fromEffectDrain(undone(name))

/** A node with the given commands. Any other command is a defect. */
export const nodeOf = (does: Partial<IpfsNode.IpfsNodeCommands>): IpfsNode.IpfsNodeCommands => ({
  add: () => undoneStream("add"),
  cat: () => undone("cat"),
  get: () => undoneStream("get"),
  ls: () => undoneStream("ls"),
  stat: () => undone("stat"),
  blockGet: () => undone("blockGet"),
  blockPut: () => undone("blockPut"),
  blockStat: () => undone("blockStat"),
  blockRm: () => undone("blockRm"),
  refs: () => undoneStream("refs"),
  refsLocal: undoneStream("refsLocal"),
  dagBlocks: () => undoneStream("dagBlocks"),
  pinVerify: undoneStream("pinVerify"),
  dagGet: () => undone("dagGet"),
  dagPut: () => undone("dagPut"),
  dagResolve: () => undone("dagResolve"),
  dagExport: () => undoneStream("dagExport"),
  dagImport: () => undone("dagImport"),
  pinAdd: () => undone("pinAdd"),
  pinRm: () => undone("pinRm"),
  pinLs: () => undoneStream("pinLs"),
  pinUpdate: () => undone("pinUpdate"),
  gc: undoneStream("gc"),
  repoStat: undone("repoStat"),
  version: undone("version"),
  id: undone("id"),
  ...does
})

export const fails = (reason: IpfsNodeError.Reason) => Effect.fail(new IpfsNodeError.IpfsNodeError({ reason }))

/** An entry of an upload as the node received it. The content is a separate text. */
export interface Arrived {
  readonly type: string
  readonly path: string | undefined
  readonly text: string
  readonly mode: number | undefined
  readonly mtime: number | undefined
  readonly mtimeNsecs: number | undefined
}

/**
 * A node that accepts uploads, and reports each entry as added. After a successful upload its entries are in `added`.
 */
export const taking = () => {
  const added: Array<Arrived> = []
  const asked: Array<IpfsNode.AddOptions> = []
  const add: IpfsNode.IpfsNodeCommands["add"] = (entries, options = {}) => {
    asked.push(options)
    return (Stream.isStream(entries) ? entries : Stream.fromIterable(entries)).pipe(
      Stream.mapEffect(
        Effect.fnUntraced(function* (entry) {
          const pieces =
            entry.type === "directory" || entry.type === "symlink"
              ? []
              : entry.content instanceof Uint8Array
                ? [entry.content]
                : yield* Stream.runCollect(entry.content)
          const text =
            entry.type === "symlink"
              ? Buffer.from(entry.target as string).toString("latin1")
              : Buffer.concat(pieces).toString("latin1")
          const { mode, mtime, mtimeNsecs, path, type = "file" } = entry
          added.push({ type, path, text, mode, mtime, mtimeNsecs })
          return { _tag: "Added", name: path ?? "", cid: HELLO, size: text.length } as const
        })
      )
    )
  }
  return { added, asked, node: nodeOf({ add }) }
}

interface Options extends Omit<NonNullable<Parameters<typeof Service.start>[1]>, "ipfs"> {
  readonly ipfs?: Omit<IpfsOptions.IpfsOptions, "node">
  readonly card?: boolean
  readonly state?: Parameters<typeof Service.start>[2]
  readonly loggers?: ReadonlyArray<Logger.Logger<unknown, unknown>>
}

/** Starts a service over a node. The account of its project has a card. */
export const start = (
  does: Partial<IpfsNode.IpfsNodeCommands> | IpfsOptions.IpfsOptions["node"],
  options: Options = {}
) => {
  const { card = true, ipfs, loggers, state, ...rest } = options
  const node = typeof does === "function" ? does : () => nodeOf(does)
  return Service.start(
    { call: () => Effect.succeed(bytesOf('"0x1"')) },
    { ...rest, ipfs: IpfsProduct.make({ ...ipfs, node }) },
    state ?? State.layer([{ id: "p1", key: KEY, secret: SECRET, card }]),
    loggers
  )
}

export const AUTHORIZATION = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`

/** Sends a command such as `cat?arg=Qm...`, with the key and the secret. */
export const ask = (service: { readonly port: number }, command: string, options: Omit<Service.Ask, "path"> = {}) =>
  Service.ask(service, {
    ...options,
    path: `/api/v0/${command}`,
    headers: { authorization: AUTHORIZATION, ...options.headers }
  })

export interface Part {
  readonly content: string
  /** The headers without their last line break. */
  readonly headers?: string
}

export const BOUNDARY = "----boundary1234"

/** Returns a multipart body. Each character of the parts is one byte (Latin-1). */
export const multipart = (...parts: ReadonlyArray<Part>): Buffer =>
  Buffer.from(
    [
      ...parts.map(({ content, headers = file("f") }) => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`),
      `--${BOUNDARY}--\r\n`
    ].join(""),
    "latin1"
  )

/** Returns the headers of a file. The name is sent unchanged. */
export const file = (filename: string, name = "file", type = "application/octet-stream"): string =>
  `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}`

export const MULTIPART = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` }

/** Sends an upload. */
export const upload = (service: { readonly port: number }, command: string, ...parts: ReadonlyArray<Part>) =>
  ask(service, command, { body: multipart(...parts), headers: MULTIPART })

/** Returns the head of a request as text, to send with `Service.raw`. */
export const head = (command: string, headers: Readonly<Record<string, string>> = {}): string =>
  [
    `POST /api/v0/${command} HTTP/1.1`,
    "Host: localhost",
    `Authorization: ${AUTHORIZATION}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    ""
  ].join("\r\n")
