/** Single blocks, and the dag-pb nodes in them. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Print from "../answer/Print.ts"
import * as Bytes from "./Bytes.ts"
import * as Content from "./Content.ts"
import * as ContentView from "./ContentView.ts"
import type { IpfsFlags } from "./IpfsFlags.ts"
import * as Node from "./Node.ts"
import * as Verdicts from "./Verdicts.ts"

/** The flags of `ipfs object get` and `ipfs block get`. */
export interface Flags extends IpfsFlags {
  readonly path: string
}

/** `plumbline ipfs object get` */
export const objectGet = Effect.fnUntraced(function* (flags: Flags) {
  const place = yield* Effect.fromResult(Content.parse(flags.path))
  return yield* Node.read(flags, ({ ipfs }) =>
    Effect.map(ipfs.objectGet(Content.pathOf(place), { dataEncoding: "base64" }), (object): Print.Shown => ({
      reply: {
        verdict: "VERIFIED",
        value: encode(object),
        anchor: Content.anchorOf(place),
        proven: [Verdicts.Object({}), ...Content.provenPath(place)],
        claimed: []
      },
      view: (style) => ContentView.object(object, style)
    }))
  )
})

/** `plumbline ipfs block get`: the block is on standard output, the verdict on standard error. */
export const blockGet = Effect.fnUntraced(function* (flags: Flags) {
  const place = yield* Effect.fromResult(Content.parse(flags.path))
  return yield* Node.read(
    flags,
    Effect.fnUntraced(function* ({ blocks, ipfs }: Node.Node) {
      const cid = yield* Content.resolve(blocks, place)
      const bytes = yield* ipfs.blockGet(Cid.toText(cid))
      const value = flags.json ? Bytes.of(bytes) : yield* Bytes.print(Stream.succeed(bytes))
      const answer: Print.Shown = {
        reply: {
          verdict: "VERIFIED",
          value,
          anchor: Content.anchorOf(place),
          proven: [Verdicts.Block({}), ...Content.provenPath(place)],
          claimed: []
        },
        view: () => []
      }
      return answer
    }),
    "stderr"
  )
})

const encode = Schema.encodeSync(IpfsApi.commands["object/get"].answer.schema)
