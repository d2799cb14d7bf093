/** A node of IPFS in memory, with the commands that bundles need. It records its calls. */
import { Block, Car, Cid, IpfsClient, IpfsError, Multihash } from "@plumbline/ipfs-client"
import { Effect, Layer, Result, Stream } from "effect"

export interface Node {
  readonly layer: Layer.Layer<IpfsClient.IpfsClient>
  /** Blocks by their multihash, as nodes keep them. */
  readonly blocks: Map<string, Uint8Array>
  readonly pins: Set<string>
  readonly calls: Array<string>
}

export interface Behaviour {
  /** Commands that the node lacks, with the error for each. */
  readonly lacks?: ReadonlyMap<string, "UnknownCommandError" | "ForbiddenError"> | undefined
  /** Returns the bytes that the node sends in place of a block. */
  readonly lie?: ((cid: Cid.Cid, bytes: Uint8Array | undefined) => Uint8Array | undefined) | undefined
  readonly pinError?: string | undefined
  /** True if the node does not answer for a block that it lacks, like js-ipfs. */
  readonly silent?: boolean | undefined
}

const { FailedError, ForbiddenError, UnknownCommandError } = IpfsError
const reasons = { FailedError, ForbiddenError, UnknownCommandError }

const failure = (command: string, tag: keyof typeof reasons, message: string) =>
  new IpfsError.IpfsError({ command, reason: new reasons[tag]({ status: 500, message }) })

/** The codecs that Kubo knows. It cannot import or pin blocks of other codecs. */
const KUBO = new Set([Block.RAW, Block.DAG_PB, Block.DAG_CBOR, Block.DAG_JSON])

export const make = ({
  lacks = new Map(),
  lie = (_, bytes) => bytes,
  pinError = "",
  silent = false
}: Behaviour = {}): Node => {
  const blocks = new Map<string, Uint8Array>()
  const pins = new Set<string>()
  const calls: Array<string> = []
  const asked = <A, E>(command: string, work: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | IpfsError.IpfsError> => {
      calls.push(command)
      const lacking = lacks.get(command)
      return lacking === undefined ? work : Effect.fail(failure(command, lacking, "404 page not found"))
    })
  /** Walks a DAG before pinning it, as Kubo does. */
  const pin = (root: Cid.Cid): string => {
    const rest = [root]
    for (let cid = rest.pop(); cid !== undefined; cid = rest.pop()) {
      if (!KUBO.has(cid.code)) return `no decoder registered for multicodec code ${cid.code}`
      const bytes = blocks.get(Cid.key(cid))
      if (bytes === undefined) return `block was not found locally: ${Cid.toText(cid)}`
      rest.push(...Result.getOrThrow(Block.links({ cid, bytes })))
    }
    if (pinError === "") pins.add(Cid.toText(root))
    return pinError
  }
  const client = {
    blockGet: (input: IpfsClient.CidInput) =>
      asked(
        "block/get",
        Effect.suspend(() => {
          const cid = typeof input === "string" ? Cid.fromTextUnsafe(input) : input
          const bytes = lie(cid, blocks.get(Cid.key(cid)))
          if (bytes === undefined && silent) return Effect.never
          return bytes === undefined
            ? Effect.fail(failure("block/get", "FailedError", "block was not found locally (offline)"))
            : Effect.succeed(bytes)
        })
      ),
    blockPut: (bytes: Uint8Array, options: { readonly cidCodec?: string; readonly mhtype?: string } = {}) =>
      asked(
        "block/put",
        Effect.sync(() => {
          const codec = options.cidCodec === "dag-cbor" ? Block.DAG_CBOR : Block.RAW
          const hash = options.mhtype === "keccak-256" ? Multihash.KECCAK_256 : Multihash.SHA2_256
          const cid = Result.getOrThrow(Block.cidOf(codec, bytes, hash))
          blocks.set(Cid.key(cid), bytes)
          return { cid: Cid.toText(cid), size: bytes.length }
        })
      ),
    pinAdd: (cid: Cid.Cid) =>
      asked(
        "pin/add",
        Effect.suspend(() => {
          const error = pin(cid)
          return error === ""
            ? Effect.succeed([Cid.toText(cid)])
            : Effect.fail(failure("pin/add", "FailedError", error))
        })
      ),
    dagImport: (car: Stream.Stream<Uint8Array>) =>
      Stream.unwrap(
        asked(
          "dag/import",
          Effect.gen(function* () {
            const items = yield* Stream.runCollect(Car.read(car))
            const roots = items.flatMap((item) => (item._tag === "Roots" ? item.roots : []))
            for (const item of items) {
              if (item._tag === "Roots") continue
              if (!KUBO.has(item.cid.code)) {
                return yield* failure("dag/import", "FailedError", `no decoder registered for ${item.cid.code}`)
              }
              blocks.set(Cid.key(item.cid), item.bytes)
            }
            return Stream.fromIterable(roots.map((cid) => ({ root: { cid: Cid.toText(cid), pinError: pin(cid) } })))
          })
        )
      )
  }
  return { layer: Layer.succeed(IpfsClient.IpfsClient, client as never), blocks, pins, calls }
}
