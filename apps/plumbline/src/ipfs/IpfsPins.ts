/** Pins: the content that a node keeps. Only the node vouches for its list of pins. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsFailure } from "@plumbline/ipfs-client/client/IpfsClient"
import { IpfsError, ProtocolError } from "@plumbline/ipfs-client/client/IpfsError"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Claim from "@plumbline/verdict/Claim"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Print from "../answer/Print.ts"
import type * as ReadAnswer from "../answer/ReadAnswer.ts"
import * as AskedNode from "./AskedNode.ts"
import * as ContentView from "./ContentView.ts"
import * as IpfsContent from "./IpfsContent.ts"
import type { IpfsFlags } from "./IpfsFlags.ts"
import * as IpfsReasons from "./IpfsReasons.ts"

/** The flags of `pin add` and `pin rm`. */
export interface PinFlags extends IpfsFlags {
  readonly paths: ReadonlyArray<string>
  readonly recursive: boolean
}

/** `plumbline ipfs pin add` */
export const add = (flags: PinFlags & { readonly name: Option.Option<string> }) =>
  change(flags, "pinned", ({ once }, cids) =>
    once.pinAdd(cids, {
      recursive: flags.recursive,
      name: Option.getOrUndefined(flags.name),
      // with progress reports, a node that works for a long time is not mistaken for a silent node
      progress: true
    })
  )

/** `plumbline ipfs pin rm` */
export const remove = (flags: PinFlags) =>
  change(flags, "let go", ({ once }, cids) => once.pinRm(cids, { recursive: flags.recursive }))

const change = Effect.fnUntraced(function* (
  flags: PinFlags,
  what: "pinned" | "let go",
  ask: (
    node: AskedNode.AskedNode,
    cids: ReadonlyArray<Cid.CidText>
  ) => Effect.Effect<ReadonlyArray<Cid.CidText>, IpfsFailure>
) {
  const places = yield* Effect.fromResult(Result.all(flags.paths.map(IpfsContent.parse)))
  return yield* AskedNode.answer(
    flags,
    Effect.fnUntraced(function* (node: AskedNode.AskedNode) {
      const cids = yield* cidsOf(node, places)
      const pins = yield* ask(node, cids)
      const answer: Print.PrintableAnswer = {
        reply: {
          ...word(what),
          value: encodePins({ pins }),
          proven: places.flatMap(IpfsContent.provenPath)
        },
        view: (style) => ContentView.pinned(what, pins, style)
      }
      return answer
    })
  )
})

/** The flags of `pin ls`. */
export interface PinListFlags extends IpfsFlags {
  readonly paths: ReadonlyArray<string>
  readonly type: "all" | "direct" | "indirect" | "recursive"
  readonly names: boolean
}

/** `plumbline ipfs pin ls` */
export const list = Effect.fnUntraced(function* (flags: PinListFlags) {
  const places = yield* Effect.fromResult(Result.all(flags.paths.map(IpfsContent.parse)))
  return yield* AskedNode.answer(
    flags,
    Effect.fnUntraced(function* (node: AskedNode.AskedNode) {
      const paths = yield* cidsOf(node, places)
      const listed = node.ipfs.pinLs({ paths, type: flags.type, names: flags.names })
      const most = paths.length === 0 ? MOST : paths.length
      const pins = yield* node.whole(Stream.runCollect(Stream.take(listed, most + 1)))
      if (paths.length === 0 && pins.length > most) return yield* tooMany
      if (paths.length > 0) {
        yield* same(
          paths,
          pins.map(({ cid }) => cid)
        )
      }
      const answer: Print.PrintableAnswer = {
        reply: {
          ...word("listed"),
          value: pins.map((pin) => encodePin(pin)),
          proven: places.flatMap(IpfsContent.provenPath)
        },
        view: (style) => ContentView.pins(pins, style)
      }
      return answer
    })
  )
})

/**
 * Maximum number of listed pins. The service has the same maximum. Without a maximum, an endless list would exhaust the
 * memory.
 */
const MOST = 100_000

const tooMany = Effect.fail(
  new IpfsError({ command: "pin/ls", reason: new ProtocolError({ detail: `it lists more than ${MOST} pins` }) })
)

/** Resolves paths to CIDs by reading the directories, so that the node receives only CIDs. */
const cidsOf = (
  { blocks }: AskedNode.AskedNode,
  places: ReadonlyArray<IpfsContent.ContentPath>
): Effect.Effect<ReadonlyArray<Cid.CidText>, IpfsFailure> =>
  Effect.forEach(places, (place) =>
    place.names.length === 0 ? Effect.succeed(place.text) : Effect.map(IpfsContent.resolve(blocks, place), Cid.toText)
  )

/** Fails if the node did not list each requested CID. The client only refuses CIDs that were not requested. */
const same = (
  asked: ReadonlyArray<Cid.CidText>,
  said: ReadonlyArray<Cid.CidText>
): Effect.Effect<void, RefutedError> => {
  const keys = (cids: ReadonlyArray<Cid.CidText>): ReadonlySet<string> =>
    new Set(cids.map((cid) => Cid.toText(Cid.toV1(Cid.fromTextUnsafe(cid)))))
  const [wanted, got] = [keys(asked), keys(said)]
  return wanted.size === got.size && [...wanted].every((cid) => got.has(cid))
    ? Effect.void
    : Effect.fail(
        new RefutedError({
          subject: asked.join(", "),
          check: "pinned CIDs",
          expected: asked.join(", "),
          got: said.join(", ").slice(0, 400)
        })
      )
}

const word = (
  what: "pinned" | "let go" | "listed"
): Pick<ReadAnswer.AcceptedAnswer, "verdict" | "anchor" | "claimed"> & { readonly verdict: "CLAIMED" } => ({
  verdict: "CLAIMED",
  anchor: null,
  claimed: [Claim.whole(IpfsReasons.OwnPins({ what }))]
})

const encodePins = Schema.encodeSync(IpfsApi.commands["pin/rm"].answer.schema)
const encodePin = Schema.encodeSync(IpfsApi.commands["pin/ls"].answer.schema)
