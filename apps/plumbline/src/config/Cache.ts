/** `cache`: the cache of proven answers. A proven answer stays true, so the node is asked for it only once. */
import * as AnswerStore from "@plumbline/gateway/cache/AnswerStore"
import * as VerifiedCache from "@plumbline/gateway/cache/VerifiedCache"

import * as Kinds from "./Kinds.ts"
import type * as Sections from "./Sections.ts"

const { group, size } = Kinds

/** The section of the file. */
export const section = group(
  {
    memory: size("Proven answers in memory of one process; 0 keeps none.", VerifiedCache.defaults.memoryBytes),
    store: size(
      "Proven answers in the state: in a file of the data folder, or in Postgres, where processes share them; 0 keeps none.",
      AnswerStore.defaults.bytes
    )
  },
  "Sizes of the caches of proven answers, for networks with integrity."
)

/** The section, if the file has it. */
export type Section = typeof section.Type

/** The bounds in bytes. */
export interface Settings {
  readonly memory: number
  readonly store: number
}

/** Returns the section as settings. */
export const settings = ({ memory, store }: Section = {}): Settings => ({
  memory: memory === undefined ? VerifiedCache.defaults.memoryBytes : Kinds.bytesOf(memory),
  store: store === undefined ? AnswerStore.defaults.bytes : Kinds.bytesOf(store)
})

/** Returns the settings in the form of the file. */
export const view = ({ memory, store }: Settings): Sections.Shown => ({ memory, store })
