/** Adds files and directories, and computes their CIDs while they are sent. */
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Print from "../answer/Print.ts"
import * as Progress from "../terminal/Progress.ts"
import * as AskedNode from "./AskedNode.ts"
import * as ContentView from "./ContentView.ts"
import type { IpfsCommandFlags } from "./IpfsFlags.ts"
import * as IpfsReasons from "./IpfsReasons.ts"
import * as LocalFiles from "./LocalFiles.ts"

/** `plumbline ipfs add` */
export const run = (flags: IpfsCommandFlags["add"]) =>
  AskedNode.answer(
    flags,
    Effect.fnUntraced(function* ({ once }: AskedNode.AskedNode) {
      const found = yield* LocalFiles.find(flags.paths, flags)
      const progress = yield* Progress.make("adding", { isQuiet: flags.json })
      if (progress.isShown && !flags.paths.includes(LocalFiles.STDIN)) {
        // Lists all files once before the upload, so that the progress has a total.
        yield* Stream.runForEach(found, (item) =>
          Effect.sync(() => progress.expect(item.kind === "file" ? item.size : 0))
        )
      }
      const entries = yield* LocalFiles.entries(found, progress.done)
      const events = once.addAll(entries, {
        wrapWithDirectory: flags.wrap,
        pin: flags.pin,
        cidVersion: Option.getOrUndefined(Option.map(flags.cidVersion, Number)),
        rawLeaves: Option.getOrUndefined(flags.rawLeaves),
        chunker: Option.getOrUndefined(flags.chunker),
        hash: Option.getOrUndefined(flags.hash)
      })
      const added: Array<IpfsApi.AddedEntry> = []
      yield* Stream.runForEach(events, (event) =>
        Effect.sync(() => {
          if (event.cid !== undefined) added.push(event)
        })
      )
      // A directory comes after its entries, so the last entry is the root, if there is a single root.
      const root = flags.wrap || flags.paths.length === 1 ? added.at(-1) : undefined
      const answer: Print.PrintableAnswer = {
        reply: {
          verdict: "VERIFIED",
          value: added.map((entry) => encode(entry)),
          anchor: root === undefined ? null : Anchor.cid(root.cid),
          proven: [IpfsReasons.Computed({})],
          claimed: [Claim.question(flags.pin ? "pin" : "storage", IpfsReasons.Kept({ pinned: flags.pin }))]
        },
        view: (style) => ContentView.added(added, style)
      }
      return answer
    })
  )

const encode = Schema.encodeSync(IpfsApi.commands.add.answer.schema)
