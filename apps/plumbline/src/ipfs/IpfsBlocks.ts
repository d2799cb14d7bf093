/** Single blocks, and the dag-pb nodes in them. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Print from "../answer/Print.ts"
import * as AskedNode from "./AskedNode.ts"
import * as ContentBytes from "./ContentBytes.ts"
import * as ContentView from "./ContentView.ts"
import * as IpfsContent from "./IpfsContent.ts"
import type { IpfsCommandFlags } from "./IpfsFlags.ts"
import * as IpfsReasons from "./IpfsReasons.ts"

/** `plumbline ipfs object get` */
export const objectGet = Effect.fnUntraced(function* (flags: IpfsCommandFlags["one"]) {
  const place = yield* Effect.fromResult(IpfsContent.parse(flags.path))
  return yield* AskedNode.read(flags, ({ ipfs }) =>
    Effect.map(
      ipfs.objectGet(IpfsContent.pathOf(place), { dataEncoding: "base64" }),
      (object): Print.PrintableAnswer => ({
        reply: {
          verdict: "VERIFIED",
          value: encode(object),
          anchor: IpfsContent.anchorOf(place),
          proven: [IpfsReasons.Object({}), ...IpfsContent.provenPath(place)],
          claimed: []
        },
        view: (style) => ContentView.object(object, style)
      })
    )
  )
})

/** `plumbline ipfs block get`: the block is on standard output, the verdict on standard error. */
export const blockGet = Effect.fnUntraced(function* (flags: IpfsCommandFlags["one"]) {
  const place = yield* Effect.fromResult(IpfsContent.parse(flags.path))
  return yield* AskedNode.read(
    flags,
    Effect.fnUntraced(function* ({ blocks, ipfs }: AskedNode.AskedNode) {
      const cid = yield* IpfsContent.resolve(blocks, place)
      const bytes = yield* ipfs.blockGet(Cid.toText(cid))
      const value = flags.json ? ContentBytes.of(bytes) : yield* ContentBytes.print(Stream.succeed(bytes))
      const answer: Print.PrintableAnswer = {
        reply: {
          verdict: "VERIFIED",
          value,
          anchor: IpfsContent.anchorOf(place),
          proven: [IpfsReasons.Block({}), ...IpfsContent.provenPath(place)],
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
