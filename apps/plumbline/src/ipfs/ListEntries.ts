import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import * as AskedNode from "./AskedNode.ts"
import * as ContentReference from "./ContentReference.ts"
import * as ContentView from "./ContentView.ts"
import * as IpfsContent from "./IpfsContent.ts"
import type { IpfsCommandFlags } from "./IpfsFlags.ts"
import * as IpfsReasons from "./IpfsReasons.ts"

/** `plumbline ipfs ls` */
export const run = Effect.fnUntraced(function* (flags: IpfsCommandFlags["ls"]) {
  const reference = yield* Effect.fromResult(ContentReference.parse(flags))
  return yield* AskedNode.read(
    flags,
    Effect.fnUntraced(function* ({ ipfs }: AskedNode.AskedNode) {
      const found = yield* ContentReference.find(flags, reference)
      const entries = yield* Stream.runCollect(ipfs.ls(IpfsContent.pathOf(found.place)))
      return ContentReference.answer(found, { value: linksOf(entries), proven: [IpfsReasons.Entries({})] }, (style) =>
        ContentView.listed(entries, style)
      )
    })
  )
})

/** Returns the entries in wire form. */
const linksOf = (entries: ReadonlyArray<IpfsApi.ListedEntry>): unknown =>
  encode({ objects: [{ path: "", entries }] }).Objects?.[0]?.Links

const encode = Schema.encodeSync(IpfsApi.commands.ls.answer.schema)
