/** `cache`: the room for proven answers, which stay true and are asked for once. */
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
  "Room for proven answers of networks with integrity."
)

/** The section, where the file has it. */
export type Section = typeof section.Type

/** The bounds in bytes. */
export interface Settings {
  readonly memory: number
  readonly store: number
}

/** The section as settings. */
export const settings = ({ memory, store }: Section = {}): Settings => ({
  memory: memory === undefined ? VerifiedCache.defaults.memoryBytes : Kinds.bytesOf(memory),
  store: store === undefined ? AnswerStore.defaults.bytes : Kinds.bytesOf(store)
})

/** The settings in the form of the file. */
export const view = ({ memory, store }: Settings): Sections.Shown => ({ memory, store })
