/** Lists the entries of directories. */
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Print from "../answer/Print.ts"
import * as Content from "./Content.ts"
import * as ContentView from "./ContentView.ts"
import type { IpfsFlags } from "./IpfsFlags.ts"
import * as Node from "./Node.ts"
import * as Verdicts from "./Verdicts.ts"

/** The flags of `ipfs ls`. */
export interface Flags extends IpfsFlags {
  readonly path: string
}

/** `plumbline ipfs ls` */
export const run = Effect.fnUntraced(function* (flags: Flags) {
  const place = yield* Effect.fromResult(Content.parse(flags.path))
  return yield* Node.read(flags, ({ ipfs }) =>
    Effect.map(Stream.runCollect(ipfs.ls(Content.pathOf(place))), (entries): Print.Shown => ({
      reply: {
        verdict: "VERIFIED",
        value: linksOf(entries),
        anchor: Content.anchorOf(place),
        proven: [Verdicts.Entries({}), ...Content.provenPath(place)],
        claimed: []
      },
      view: (style) => ContentView.listed(entries, style)
    }))
  )
})

/** Returns the entries in wire form. */
const linksOf = (entries: ReadonlyArray<IpfsApi.Entry>): unknown =>
  encode({ objects: [{ path: "", entries }] }).Objects?.[0]?.Links

const encode = Schema.encodeSync(IpfsApi.commands.ls.answer.schema)
