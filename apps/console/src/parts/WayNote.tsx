/** A line that says how this page reads a network, and lets the reader choose if there are several ways. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"

import * as Session from "../chain/Session.ts"
import * as Way from "../chain/Way.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"

/** The line. */
export const WayNote = ({ network }: { readonly network: string }) => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(Session.start)))
  const session = useAtom(Way.session)
  const key = useAtom(Session.key)
  const preferred = useAtom(Way.preferred)
  const found = [...(start?.networks ?? []), ...(start?.secondChains ?? [])].find(({ name }) => name === network)
  if (found === undefined) return null
  const ways = Way.ways(found, { session, key })
  const way = Way.choose(ways, preferred)
  return (
    <p className="small soft" data-way={way?._tag ?? "None"}>
      {way === undefined
        ? `This page reads ${network} with an API key, and has none yet.`
        : `This page reads ${network} ${Way.toSentence(way)}.`}{" "}
      {ways.length < 2 ? null : (
        <label>
          Read it{" "}
          <select
            aria-label={`The way to read ${network}`}
            value={way?._tag}
            onChange={({ target }) => setAtom(Way.preferred, target.value as Way.Way["_tag"])}
          >
            {ways.map(({ _tag }) => (
              <option key={_tag} value={_tag}>
                {NAMES[_tag]}
              </option>
            ))}
          </select>
        </label>
      )}
    </p>
  )
}

const NAMES: Readonly<Record<Way.Way["_tag"], string>> = {
  Session: "with the operator's session",
  Key: "with the key",
  Loopback: "without a key"
}
