/** The questions that the reader asked, newest first. They are kept only in the memory of this page. */
import * as Atom from "effect/reactivity/Atom"

import { registry } from "../look/useAtom.ts"

/** A question with its network. `params` is the text of a JSON list. */
export interface RecentQuestion {
  readonly network: string
  readonly method: string
  readonly params: string
}

/** Maximum number of kept requests. */
const MOST = 8

/** The questions. */
export const recent: Atom.Writable<ReadonlyArray<RecentQuestion>> = Atom.keepAlive(
  Atom.make<ReadonlyArray<RecentQuestion>>([])
)

/** Puts a question first. A question that is already in the list moves to the front. */
export const remember = (asked: RecentQuestion): void => {
  const others = registry
    .get(recent)
    .filter(
      ({ method, network, params }) => method !== asked.method || network !== asked.network || params !== asked.params
    )
  registry.set(recent, [asked, ...others].slice(0, MOST))
}
