import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Print from "../answer/Print.ts"
import * as AskedNode from "./AskedNode.ts"
import * as ContentView from "./ContentView.ts"
import * as IpfsContent from "./IpfsContent.ts"
import type { IpfsCommandFlags } from "./IpfsFlags.ts"
import * as IpfsReasons from "./IpfsReasons.ts"

/** `plumbline ipfs ls` */
export const run = Effect.fnUntraced(function* (flags: IpfsCommandFlags["one"]) {
  const place = yield* Effect.fromResult(IpfsContent.parse(flags.path))
  return yield* AskedNode.read(flags, ({ ipfs }) =>
    Effect.map(Stream.runCollect(ipfs.ls(IpfsContent.pathOf(place))), (entries): Print.PrintableAnswer => ({
      reply: {
        verdict: "VERIFIED",
        value: linksOf(entries),
        anchor: IpfsContent.anchorOf(place),
        proven: [IpfsReasons.Entries({}), ...IpfsContent.provenPath(place)],
        claimed: []
      },
      view: (style) => ContentView.listed(entries, style)
    }))
  )
})

/** Returns the entries in wire form. */
const linksOf = (entries: ReadonlyArray<IpfsApi.ListedEntry>): unknown =>
  encode({ objects: [{ path: "", entries }] }).Objects?.[0]?.Links

const encode = Schema.encodeSync(IpfsApi.commands.ls.answer.schema)
