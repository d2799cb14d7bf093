/**
 * An IPFS node in memory, with the functions that pins need: blocks by CID, and recursive or direct pins. At any moment
 * a test can copy the state, as a killed process would leave it.
 */
import { Block, Car, Cid, DirectoryCid, FileCid, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { RefutedError, UnprovenError } from "@plumbline/verdict"
import { Effect, Result, Stream } from "effect"

/** The content of the node. */
export interface State {
  readonly blocks: Map<string, Block.Block>
  readonly pins: Map<string, "recursive" | "direct">
}

export const empty = (): State => ({ blocks: new Map(), pins: new Map() })

export const copy = ({ blocks, pins }: State): State => ({ blocks: new Map(blocks), pins: new Map(pins) })

/** Stores a block and returns its CID. */
export const put = ({ blocks }: State, codec: number, bytes: Uint8Array): Cid.Cid => {
  const cid = Result.getOrThrow(Block.cidOf(codec, bytes))
  blocks.set(Cid.toText(cid), { cid, bytes })
  return cid
}

/**
 * Returns a dag-cbor list of fewer than 24 or more than 255 links. It has a head, and for each link the tag 42 and the
 * bytes of the CID. Source: RFC 8949.
 */
export const listOf = (cids: ReadonlyArray<Cid.Cid>): Uint8Array =>
  Buffer.concat([
    cids.length < 24 ? Uint8Array.of(0x80 + cids.length) : Uint8Array.of(0x99, cids.length >> 8, cids.length & 0xff),
    ...cids.flatMap(({ bytes }) => [Uint8Array.of(0xd8, 42, 0x58, bytes.length + 1, 0), bytes])
  ])

const failed = (reason: IpfsNodeError.Reason) => new IpfsNodeError.IpfsNodeError({ reason })

const refused = (subject: string, problem: IpfsNodeError.PinRefused["problem"]) =>
  failed(new IpfsNodeError.PinRefused({ subject, problem }))

/** Makes the node over a state. `step` runs before and after each change of pins. */
export const make = (
  state: State,
  step: (what: string) => Effect.Effect<void> = () => Effect.void
): IpfsNode.IpfsNodeCommands => {
  const blockOf = (text: string): Effect.Effect<Block.Block, IpfsNodeError.IpfsNodeError> => {
    const block = state.blocks.get(text.replace(/^\/ipfs\//, ""))
    return block === undefined ? Effect.fail(failed(new IpfsNodeError.NotFound({ cid: text }))) : Effect.succeed(block)
  }
  const dag = (root: string): Stream.Stream<Block.Block, IpfsNodeError.IpfsNodeError> =>
    Stream.suspend(() => {
      const rest = [root]
      const seen = new Set<string>()
      return Stream.unfold(undefined, () =>
        Effect.gen(function* () {
          for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
            if (seen.has(next)) continue
            seen.add(next)
            const block = yield* blockOf(next)
            rest.push(...Result.getOrThrow(Block.links(block)).map((cid) => Cid.toText(cid)))
            return [block, undefined] as const
          }
          return undefined
        })
      )
    })
  const keep = ({ bytes, cid }: Block.Block) => void state.blocks.set(Cid.toText(cid), { cid, bytes })
  const change = <A>(what: string, work: () => A): Effect.Effect<A> =>
    Effect.gen(function* () {
      yield* step(`before ${what}`)
      const done = work()
      yield* step(`after ${what}`)
      return done
    })
  const parse = (text: string): Cid.Cid => Cid.fromTextUnsafe(text.replace(/^\/ipfs\//, ""))
  const unused = Effect.die(new Error("this node does not do that"))

  const add: IpfsNode.IpfsNodeCommands["add"] = <E = never>(
    entries: Iterable<IpfsNode.AddEntry<E>> | Stream.Stream<IpfsNode.AddEntry<E>, E>,
    options: IpfsNode.AddOptions = {}
  ) => {
    const folders = new Map<string, Array<readonly [string, FileCid.FileRoot]>>()
    const files = (Stream.isStream(entries) ? entries : Stream.fromIterable(entries)).pipe(
      Stream.mapEffect(
        Effect.fnUntraced(function* (entry) {
          if (entry.type === "directory" || entry.type === "symlink") return yield* unused
          const { content } = entry
          const pieces = yield* Stream.runCollect(content instanceof Uint8Array ? Stream.make(content) : content)
          const file = Stream.fromIterable(pieces)
          yield* Stream.runForEach(FileCid.blocks(file), (block) => Effect.sync(() => keep(block)))
          const root = yield* FileCid.ofStream(file)
          const [folder, name] = (entry.path ?? "").split("/")
          if (name !== undefined) folders.set(folder!, [...(folders.get(folder!) ?? []), [name, root]])
          return { _tag: "Added", name: entry.path ?? String(root.cid), cid: root.cid, size: root.totalSize } as const
        })
      )
    )
    const directories = Stream.suspend(() =>
      Stream.fromIterable(
        Array.from(folders, ([name, inside]) => {
          const { blocks, cid, totalSize } = Result.getOrThrow(DirectoryCid.make(inside))
          blocks.forEach(keep)
          return { _tag: "Added", name, cid, size: totalSize } as const
        })
      )
    )
    if (options.pin !== false) throw new Error("whoever adds here pins by itself")
    return Stream.concat(files, directories)
  }

  return {
    add,
    cat: (path) =>
      Effect.map(blockOf(path), ({ bytes }) => ({
        size: bytes.length,
        bytes: Stream.make(bytes.subarray(0, 3), bytes.subarray(3))
      })),
    get: (path) =>
      Stream.fromEffect(
        Effect.map(blockOf(path), ({ bytes, cid }) => ({
          path,
          cid,
          type: "file",
          size: bytes.length,
          content: Stream.make(bytes)
        }))
      ),
    ls: () => Stream.fromEffectDrain(unused),
    stat: () => unused,
    blockGet: (path) => Effect.map(blockOf(path), ({ bytes }) => bytes),
    blockPut: (bytes) => Effect.sync(() => ({ cid: put(state, Block.RAW, bytes), size: bytes.length })),
    blockStat: (path) => Effect.map(blockOf(path), ({ bytes, cid }) => ({ cid, size: bytes.length })),
    blockRm: () => unused,
    refs: () => Stream.fromEffectDrain(unused),
    refsLocal: Stream.fromEffectDrain(unused),
    dagBlocks: (path) => Stream.map(dag(path), ({ bytes, cid }) => ({ cid, size: bytes.length })),
    pinVerify: Stream.fromEffectDrain(unused),
    dagGet: (path) => Effect.map(blockOf(path), ({ bytes }) => bytes),
    dagPut: (data) => Effect.sync(() => put(state, Block.DAG_CBOR, data)),
    dagResolve: (path) => Effect.map(blockOf(path), ({ cid }) => ({ cid, remainder: "" })),
    dagExport: (path) => Car.encode([parse(path)], dag(path)),
    dagImport: (car) =>
      Effect.gen(function* () {
        const items = yield* Effect.catchIf(Stream.runCollect(Car.read(car)), isReadError, Effect.die)
        items.forEach((item) => item._tag === "Block" && keep(item))
        const roots = items.flatMap((item) => (item._tag === "Roots" ? item.roots : []))
        return { roots: roots.map((cid) => ({ cid, pinError: "" })), blocks: items.length - 1, bytes: 0 }
      }),
    pinAdd: (path, { recursive = true } = {}) =>
      Effect.gen(function* () {
        // other work runs meanwhile
        yield* Effect.yieldNow
        if (recursive) yield* Stream.runDrain(dag(path))
        const { cid } = yield* blockOf(path)
        if (!recursive && state.pins.get(path) === "recursive") return yield* refused(path, "AlreadyRecursive")
        yield* change(`pin ${path}`, () => state.pins.set(path, recursive ? "recursive" : "direct"))
        return cid
      }),
    pinRm: (path) =>
      Effect.gen(function* () {
        if (!state.pins.has(path)) return yield* refused(path, "NotPinnedHere")
        yield* change(`unpin ${path}`, () => state.pins.delete(path))
        return parse(path)
      }),
    pinLs: (paths, { type } = {}) =>
      Stream.suspend(() => {
        const pins = Array.from(state.pins, ([text, type]) => ({ cid: parse(text), type, name: "" })).filter(
          (pin) => pin.type === type && (paths.length === 0 || paths.includes(Cid.toText(pin.cid)))
        )
        return paths.length > 0 && pins.length === 0
          ? Stream.fail(refused(paths[0]!, "NotPinned"))
          : Stream.fromIterable(pins)
      }),
    pinUpdate: () => unused,
    gc: Stream.suspend(() => {
      const reached = Stream.flatMap(Stream.fromIterable([...state.pins.keys()]), dag)
      return Stream.unwrap(
        Effect.map(Stream.runCollect(reached), (blocks) => {
          const kept = new Set(blocks.map(({ cid }) => Cid.toText(cid)))
          const removed = [...state.blocks.values()].filter(({ cid }) => !kept.has(Cid.toText(cid)))
          for (const { cid } of removed) state.blocks.delete(Cid.toText(cid))
          return Stream.fromIterable(removed.map(({ cid }) => cid))
        })
      )
    }),
    repoStat: unused,
    version: unused,
    id: unused
  }
}

const isReadError = (error: unknown): error is Car.CarReadError =>
  error instanceof Car.CarError || error instanceof RefutedError || error instanceof UnprovenError
